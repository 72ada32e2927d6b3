/** A stored run as blocks of the conversation. */
import { filedAs } from '../../../shared/mission.js';
import type { ListedItem } from '../../../shared/plan.js';
import type { Message, Run, ToolCall } from '../../../shared/run.js';
import { wordOf } from '../glyphs.js';
import { linesOf, newBlock, type NewBlock } from './conversation.js';

/** What stands above a run: the item with its try, or what it was for. */
export function runHead(run: Pick<Run, 'kind' | 'attempt'>, item: Pick<ListedItem, 'number' | 'title'> | null): string {
  if (run.kind === 'chat') return '';
  if (run.kind === 'planner') return 'Planner';
  const name = item === null ? 'A removed item' : `${item.number} ${item.title}`;
  return run.attempt > 1 ? `${name}, try ${run.attempt}` : name;
}

export function transcriptBlocks(run: Run, messages: readonly Message[], item: ListedItem | null): NewBlock[] {
  const part = { runId: run.id, itemId: run.itemId };
  const head = runHead(run, item);
  const isOver = run.finishedAt !== null;
  const blocks: NewBlock[] = head === '' ? [] : [newBlock('run', { ...part, head })];
  const own = run.kind === 'planner' ? turnOf(run, messages) : messages;
  for (const message of own) blocks.push(...messageBlocks(message, own, part, isOver));
  if (messages.length === 0 && item?.command !== undefined) {
    const lines = linesOf(run.summary ?? '');
    blocks.push(newBlock('tool', { ...part, head: `shell ${oneLine(item.command)}`, lines, open: !isOver }));
  }
  return [...blocks, ...endBlocks(run, item)];
}

/**
 * Of the memory of a planner what one of its runs added. It begins with what woke it, which was written when the run began,
 * and which is for the planner.
 */
function turnOf({ startedAt, finishedAt }: Run, messages: readonly Message[]): readonly Message[] {
  const isOfRun = ({ at }: Message): boolean => at >= startedAt && (finishedAt === null || at <= finishedAt);
  const woken = messages.findIndex(({ kind, at }) => kind === 'notice' && at === startedAt);
  const own = messages.slice(Math.max(0, woken)).filter(isOfRun);
  return woken < 0 ? own : own.map((message, index) => (index === 0 ? { ...message, kind: 'plan_prompt' } : message));
}

function messageBlocks(
  { kind, content, toolCalls }: Message,
  messages: readonly Message[],
  part: Partial<NewBlock>,
  isOver: boolean,
): NewBlock[] {
  switch (kind) {
    case 'chat':
      return [newBlock('you', { ...part, lines: linesOf(content) })];
    case 'assistant':
      return [
        ...(content.trim() === '' ? [] : [newBlock('text', { ...part, lines: linesOf(content) })]),
        ...(toolCalls ?? []).flatMap((call) => callBlocks(call, messages, part, isOver)),
      ];
    case 'notice':
      return [newBlock('notice', { ...part, lines: linesOf(content) })];
    case 'plan_prompt':
      return [newBlock('prompt', { ...part, head: 'what the model was told', lines: linesOf(content) })];
    // What the daemon tells the model at every turn, and results, which stand under their calls.
    case 'system':
    case 'plan_state':
    case 'digest':
    case 'tool':
      return [];
  }
}

function callBlocks(call: ToolCall, messages: readonly Message[], part: Partial<NewBlock>, isOver: boolean): NewBlock[] {
  const result = messages.find(({ kind, toolCallId }) => kind === 'tool' && toolCallId === call.id);
  const args = readArguments(call.arguments);
  const kind = typeof args?.kind === 'string' ? args.kind : 'report';
  // One that the daemon refused is a call like any other.
  if (call.name === 'mission_report' && (result === undefined || result.content === filedAs(kind))) {
    const said = typeof args?.summary === 'string' ? args.summary : call.arguments;
    return [newBlock('notice', { ...part, lines: linesOf(`${kind}: ${said}`) })];
  }
  return [
    newBlock('tool', {
      ...part,
      head: `${call.name} ${summariseCall(call.name, args) ?? oneLine(call.arguments)}`.trimEnd(),
      lines: linesOf(isPlanItself(call, result) ? '' : (result?.content ?? '')).filter((line) => !isWrapper(line)),
      open: result === undefined && !isOver,
    }),
  ];
}

function readArguments(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** A planner gets back the plan as it is stored: that stands in the panel. What it is refused with is told. */
const isPlanItself = ({ name }: ToolCall, result: Message | undefined): boolean =>
  name === 'mission_plan' && result?.content.startsWith('{') === true;

/** The lines around the steps are for the model. */
const isWrapper = (line: string): boolean => /^<\/?untrusted_content_[0-9a-f]{16}(?: source="plan")?>$/.test(line);

/** What a call does to the steps; which they are then stands in its result. */
function summarisePlan(args: Record<string, unknown> | null): string | null {
  if (typeof args?.verb !== 'string') return null;
  return [args.verb, typeof args.step_id === 'string' ? oneLine(args.step_id) : ''].join(' ').trim();
}

function summariseCall(name: string, args: Record<string, unknown> | null): string | null {
  if (name === 'plan') return summarisePlan(args);
  return name.startsWith('mission_') ? summariseMission(args) : summarise(args);
}

/** Why the plan is changed, what is asked, what a mission is for, which item is split, how it all ended. */
function summariseMission(args: Record<string, unknown> | null): string | null {
  if (args === null) return null;
  const said = ['outcome', 'reason', 'explanation', 'question', 'goal', 'itemId']
    .map((name) => args[name])
    .filter((value) => typeof value === 'string');
  return said.map(oneLine).join(': ');
}

/** The argument that says most: what is run, or what it is done to. */
function summarise(args: Record<string, unknown> | null): string | null {
  const said =
    args && ['command', 'path', 'pattern', 'query', 'url'].map((name) => args[name]).find((v) => typeof v === 'string');
  return typeof said === 'string' ? oneLine(said) : null;
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ');

/** What a run came to, where it has ended. */
export function endBlocks({ id, itemId, status, error, kind }: Run, item: ListedItem | null): NewBlock[] {
  const part = { runId: id, itemId };
  switch (status) {
    case 'blocked':
    case 'failed':
      return [newBlock('end', { ...part, head: status, lines: linesOf(error ?? ''), tone: 'bad' })];
    case 'cancelled':
    case 'interrupted':
      return [newBlock('end', { ...part, head: status, lines: linesOf(error ?? ''), tone: 'warn' })];
    case 'completed':
      return kind === 'leaf' ? [newBlock('end', { ...part, head: (item && wordOf(item)) || 'finished', tone: 'good' })] : [];
    case 'running':
    case 'waiting':
      return [];
  }
}
