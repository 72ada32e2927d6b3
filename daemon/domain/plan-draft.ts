/**
 * A plan under change. All edits of one command and what the run makes of them happen on one draft, so that together
 * they are one version, one revision and one event; a refused command throws its draft away.
 * `finish` settles the sections (invariant 3): closed exactly when all children are terminal.
 */
import type { Author, Item, ItemChange, ItemId } from '../../shared/plan.js';
import { indexTree, isTerminal, itemAt, type Place, type Task, type Tree } from '../../shared/plan-tree.js';
import { closedBefore, keepClosedBefore, keepPlaces, placesOf, type Plan, type PlanChange } from './plan.js';
import { sameItem, sameText, settleSection } from './item-state.js';
import { positionStep, spreadPositions } from './plan-order.js';

export class PlanDraft {
  readonly base: Plan;
  #tasks: Task[];
  /** Children arrays that belong to this draft already and may be written in place. */
  #own = new Set<readonly Item[]>();
  #places: ReadonlyMap<ItemId, Place> | null = null;
  #shapeKept = true;
  #tasksOwned = false;
  #before = new Map<ItemId, Item | null>();
  /** Tasks whose children changed: their status is settled at the end. */
  #unsettled = new Set<ItemId>();
  #goal: string;
  #nextItemNo: number;
  /** All tasks before this index are terminal: a plan of thousands is not searched from its beginning at every leaf. */
  #closedBefore: number;

  constructor(base: Plan) {
    this.base = base;
    this.#tasks = base.tree as Task[];
    this.#goal = base.goal;
    this.#nextItemNo = base.nextItemNo;
    this.#closedBefore = closedBefore(base.tree);
  }

  get tree(): Tree {
    return this.#tasks;
  }

  get goal(): string {
    return this.#goal;
  }

  setGoal(goal: string): void {
    this.#goal = goal;
  }

  get itemCount(): number {
    return this.#shapeKept ? placesOf(this.base.tree).size : this.places().size;
  }

  /** True when the plan has, or ever had, an item: its ids may then stand in the history. */
  get hadItems(): boolean {
    return this.#nextItemNo > 1 || this.#tasks.length > 0;
  }

  /** The first open leaf in the order in which they run; sections are as they were last settled. */
  nextOpen(): Item | null {
    for (; this.#closedBefore < this.#tasks.length; this.#closedBefore++) {
      const { item, children } = this.#tasks[this.#closedBefore] as Task;
      if (isTerminal(item.status)) continue;
      return children.length === 0 ? item : (children.find((child) => !isTerminal(child.status)) ?? null);
    }
    return null;
  }

  places(): ReadonlyMap<ItemId, Place> {
    if (this.#shapeKept) return placesOf(this.base.tree);
    this.#places ??= indexTree(this.#tasks);
    return this.#places;
  }

  find(id: ItemId): Item | undefined {
    const place = this.places().get(id);
    return place && itemAt(this.#tasks, place);
  }

  place(id: ItemId): Place | undefined {
    return this.places().get(id);
  }

  childrenOf(parentId: ItemId | null): readonly Item[] {
    if (parentId === null) return this.#tasks.map((task) => task.item);
    const place = this.places().get(parentId);
    return (place && place.child < 0 ? this.#tasks[place.task]?.children : undefined) ?? [];
  }

  /** A new id: short, never used before in this plan. */
  newId(): ItemId {
    return `t${this.#nextItemNo++}` as ItemId;
  }

  /** Takes an id that came with a text (`t7`), so that it is never given out again. */
  reserveId(id: ItemId): void {
    const number = /^t(\d{1,15})$/.exec(id)?.[1] ?? '1';
    this.#nextItemNo = Math.max(this.#nextItemNo, Number(number) + 1);
  }

  /** Writes an item that is there already; parent and position stay. */
  replace(item: Item): void {
    const place = this.places().get(item.id);
    const old = place && itemAt(this.#tasks, place);
    if (!place || !old) throw new Error(`no item ${item.id} in the draft`);
    this.#remember(item.id, old);
    if (!isTerminal(item.status)) this.#openAt(place.task);
    const tasks = this.#ownTasks();
    const task = tasks[place.task] as Task;
    if (place.child < 0) {
      tasks[place.task] = { item, children: task.children };
      if (task.children.length > 0) this.#unsettled.add(item.id);
    } else {
      this.#ownChildren(place.task)[place.child] = item;
      this.#unsettled.add(task.item.id);
    }
  }

  /** Puts a new item among its siblings at `index`; the position follows from its neighbours. */
  insert(item: Omit<Item, 'position'>, index: number): Item {
    const placed = this.#place(item, index);
    this.#remember(placed.id, null);
    return placed;
  }

  /** Takes an item out, with its children. Gives what was removed. */
  remove(id: ItemId): Item[] {
    const place = this.places().get(id);
    if (!place) return [];
    const task = this.#tasks[place.task] as Task;
    const gone = place.child < 0 ? [task.item, ...task.children] : [task.children[place.child] as Item];
    for (const item of gone) this.#remember(item.id, item);
    this.#take(place);
    return gone;
  }

  /** Moves an item (a task with its children) to `index` among the children of `parentId`. */
  move(id: ItemId, parentId: ItemId | null, index: number): void {
    const place = this.places().get(id) as Place;
    const task = this.#tasks[place.task] as Task;
    const item = place.child < 0 ? task.item : (task.children[place.child] as Item);
    this.#remember(id, item);
    const children = place.child < 0 ? task.children : [];
    this.#take(place);
    this.#place({ ...item, parentId }, index, children);
  }

  /**
   * Puts a whole new tree in place at once (revise, import, create): O(items), where single inserts would each cost that.
   * Siblings get ascending positions, and as many as can keep theirs.
   */
  rebuild(tree: Tree): void {
    const next = spreadPositions(tree.map((task) => task.item)).map((item, t) => ({
      item,
      children: spreadPositions((tree[t] as Task).children),
    }));
    const before = new Map<ItemId, Item>();
    for (const task of this.#tasks) for (const item of [task.item, ...task.children]) before.set(item.id, item);
    for (const task of next) {
      for (const item of [task.item, ...task.children]) {
        this.#remember(item.id, before.get(item.id) ?? null);
        before.delete(item.id);
      }
      this.#unsettled.add(task.item.id);
    }
    for (const [id, item] of before) this.#remember(id, item);
    this.#tasks = next;
    this.#tasksOwned = true;
    this.#own.clear();
    this.#shapeChanged();
  }

  /** True when something really differs from the plan that the draft was made from. */
  get isChanged(): boolean {
    return this.#goal !== this.base.goal || this.#changes().length > 0;
  }

  #changes(): ItemChange[] {
    const items: ItemChange[] = [];
    for (const [id, before] of this.#before) {
      const after = this.find(id) ?? null;
      if (before === after || (before && after && sameItem(before, after))) continue;
      if (before === null && after === null) continue;
      items.push({ id, before, after });
    }
    return items;
  }

  /** Settles the sections and gives the plan and its change; null when nothing really changed. */
  finish(author: Author, explanation: string | null): { plan: Plan; change: PlanChange } | null {
    this.settle();
    const items = this.#changes();
    const goalChanged = this.#goal !== this.base.goal;
    if (items.length === 0 && !goalChanged) return null;
    const tree: Tree = this.#tasks;
    if (this.#shapeKept) keepPlaces(this.base.tree, tree);
    keepClosedBefore(tree, this.#closedBefore);
    const version = this.base.version + 1;
    return {
      plan: { version, goal: this.#goal, tree, nextItemNo: this.#nextItemNo },
      change: {
        version,
        author,
        explanation,
        statusOnly: !goalChanged && items.every(({ before, after }) => before && after && sameText(before, after)),
        goal: goalChanged ? { before: this.base.goal, after: this.#goal } : null,
        nextItemNo: this.#nextItemNo,
        items,
      },
    };
  }

  /** Brings the sections whose children changed up to date; done once more by `finish`. */
  settle(): void {
    for (const id of this.#unsettled) {
      const place = this.places().get(id);
      const task = place && place.child < 0 ? this.#tasks[place.task] : undefined;
      if (!place || !task) continue;
      const settled = settleSection(task);
      if (settled === task.item) continue;
      this.#remember(id, task.item);
      if (!isTerminal(settled.status)) this.#openAt(place.task);
      this.#ownTasks()[place.task] = { item: settled, children: task.children };
    }
    this.#unsettled.clear();
  }

  #remember(id: ItemId, before: Item | null): void {
    if (!this.#before.has(id)) this.#before.set(id, before);
  }

  #ownTasks(): Task[] {
    if (!this.#tasksOwned) {
      this.#tasks = [...this.#tasks];
      this.#tasksOwned = true;
    }
    return this.#tasks;
  }

  #ownChildren(taskIndex: number): Item[] {
    const tasks = this.#ownTasks();
    const task = tasks[taskIndex] as Task;
    if (this.#own.has(task.children)) return task.children as Item[];
    const children = [...task.children];
    this.#own.add(children);
    tasks[taskIndex] = { item: task.item, children };
    return children;
  }

  #openAt(task: number): void {
    this.#closedBefore = Math.min(this.#closedBefore, task);
  }

  #shapeChanged(): void {
    this.#closedBefore = 0;
    this.#shapeKept = false;
    this.#places = null;
  }

  #take(place: Place): void {
    const parent = (this.#tasks[place.task] as Task).item.id;
    if (place.child < 0) this.#ownTasks().splice(place.task, 1);
    else {
      this.#ownChildren(place.task).splice(place.child, 1);
      this.#unsettled.add(parent);
    }
    this.#shapeChanged();
  }

  #place(item: Omit<Item, 'position'>, index: number, children: readonly Item[] = []): Item {
    const siblings = this.childrenOf(item.parentId);
    const at = Math.max(0, Math.min(index, siblings.length));
    const position = this.#positionAt(siblings, at);
    const placed: Item = { ...item, position };
    if (item.parentId === null) this.#ownTasks().splice(at, 0, { item: placed, children });
    else {
      const parent = this.places().get(item.parentId) as Place;
      this.#ownChildren(parent.task).splice(at, 0, placed);
      this.#unsettled.add(item.parentId);
    }
    this.#shapeChanged();
    return placed;
  }

  /** Halfway between the neighbours; where doubles have no room left, the siblings are spread anew. */
  #positionAt(siblings: readonly Item[], at: number): number {
    const before = siblings[at - 1]?.position;
    const after = siblings[at]?.position;
    if (after === undefined) return (before ?? 0) + positionStep;
    const middle = before === undefined ? after - positionStep : (before + after) / 2;
    if (middle < after && (before === undefined || middle > before)) return middle;
    siblings.forEach((sibling, i) => {
      this.replace({ ...sibling, position: (i < at ? i + 1 : i + 2) * positionStep });
    });
    return (at + 1) * positionStep;
  }
}
