/** The rules between the panes: what each is called, which one has the focus, and how far the plan is. */
import type { Press, Row, Span } from '../press.js';
import { type Layout, wideColumns } from '../layout.js';
import { forecast } from '../plan/forecast.js';
import { keyOf } from '../keymap.js';
import { openLeaves, progressBar } from '../plan/progress.js';
import { rule, span, spansWidth } from './rows.js';
import { knownUntil, type Pane, type SessionView, type State } from '../state.js';
import { duration } from '../text/text.js';

export function titlesRow(state: State, layout: Layout): Row {
  const { glyphs, session, size } = state;
  if (session === null) return { spans: rule([], [], size.columns, glyphs) };
  if (layout.plan !== null && layout.conversation !== null) {
    const left = rule(
      [title('conversation', 'Conversation', state)],
      moreBelow(session, state),
      layout.conversation.width,
      glyphs,
    );
    const own = [title('plan', 'Plan', state)];
    const right = rule(own, progress(session, state, layout.plan.width - spansWidth(own)), layout.plan.width, glyphs);
    return { spans: [...left, span(glyphs.line.teeDown, 'dim'), ...right] };
  }
  if (layout.isWide) {
    const showsPlan = span(`${keyOf('togglePlan')} shows the plan`, 'dim', { on: 'action', action: 'togglePlan' });
    return {
      spans: rule([title('conversation', 'Conversation', state)], [showsPlan], size.columns, glyphs),
    };
  }
  const tabs = [
    title('plan', 'Plan', state),
    span('  '),
    title('conversation', size.columns < 48 ? 'Talk' : 'Conversation', state),
  ];
  return { spans: rule(tabs, progress(session, state, size.columns - spansWidth(tabs)), size.columns, glyphs) };
}

/** What has come since one scrolled up. */
function moreBelow({ conversationView }: SessionView, { glyphs }: State): Span[] {
  return conversationView.top === null
    ? []
    : [span(`${glyphs.down} ${keyOf('last')} follows`, 'dim', { on: 'action', action: 'last' })];
}

/** The pane that the keys go to stands in brackets: colour alone would not do. */
function title(pane: Pane, text: string, { focus, tab, size }: State): Span {
  const press: Press = { on: 'pane', pane };
  const isShown = focus === 'line' && size.columns < wideColumns && tab === pane;
  if (focus === pane) return span(`[${text}]`, 'accent', press);
  return span(text, isShown ? 'strong' : 'dim', press);
}

/** Columns that the rule takes around title and end. */
const ruleMargin = 10;

/** How far the plan is, as much of it as there is room for: the count in any case. */
function progress(view: SessionView, state: State, width: number): readonly Span[] {
  const all = progressSpans(view, state);
  const [done, rest, figures, skipped, forecasted] = all;
  if (done === undefined || rest === undefined || figures === undefined) return [];
  const [, count = figures.text] = figures.text.split(' ');
  const without = (...left: readonly (Span | undefined)[]): Span[] => all.filter((part) => !left.includes(part));
  const choices = [all, without(skipped), without(skipped, forecasted), [span(count)]];
  return choices.find((spans) => spansWidth(spans) + ruleMargin <= width) ?? [span(count)];
}

function progressSpans(view: SessionView, state: State): Span[] {
  const { glyphs } = state;
  const { counts } = view.plan;
  if (view.plan.items.size === 0) return [];
  const open = openLeaves(counts);
  const bar = progressBar(counts, glyphs);
  const { status, currentItemId } = view.planRun;
  const rest =
    status === 'running' || status === 'pausing' ? forecast(view.plan, view.runs, currentItemId, knownUntil(state)) : null;
  return [
    span(bar.done, 'good'),
    span(bar.rest, 'dim'),
    span(` ${counts.done}/${open}`),
    span(counts.skipped > 0 ? ` ${glyphs.dot} ${counts.skipped} skipped` : '', 'dim'),
    span(rest !== null && counts.done < open ? ` ${glyphs.dot} ~${duration(rest)}` : '', 'dim'),
  ];
}

/** The rule over the line says what one writes there, or where one is. */
export function lineTitleRow(state: State, layout: Layout): Row {
  const { glyphs, size, prompt, focus } = state;
  const tone = focus === 'line' || prompt !== null ? 'accent' : 'dim';
  const text = lineTitle(state);
  const spans = rule(
    [span(tone === 'accent' ? `[${text}]` : text, tone, { on: 'pane', pane: 'line' })],
    [],
    size.columns,
    glyphs,
  );
  const at = layout.divider?.x;
  return { spans: at === undefined ? spans : withTee(spans, at, glyphs.line.teeUp) };
}

function withTee(spans: readonly Span[], at: number, tee: string): Span[] {
  const result: Span[] = [];
  let x = 0;
  for (const part of spans) {
    const width = spansWidth([part]);
    const inside = at >= x && at < x + width && part.tone === 'dim' && /^[─-]+$/.test(part.text);
    if (inside) {
      result.push({ ...part, text: part.text.slice(0, at - x) + tee + part.text.slice(at - x + 1) });
    } else result.push(part);
    x += width;
  }
  return result;
}

function lineTitle({ prompt, session }: State): string {
  switch (prompt?.about.kind) {
    case 'goal':
      return 'Goal';
    case 'guidance':
      return 'A word for the next try, or none';
    case 'draft':
      return draftTitle(session);
    case 'search':
      return 'Search the titles';
    case 'newSession':
      return 'What is the plan for?';
    case 'add':
      return prompt.about.parentId === null ? 'New task' : 'New subtask';
    case 'title':
      return 'Title';
    case undefined:
      return session !== null && hearsWords(session) ? 'Say something to the running item' : 'Say something';
  }
}

function draftTitle(session: SessionView | null): string {
  if (session !== null && session.plan.items.size > 0) return 'What is the planner to change?';
  const hasGoal = session !== null && session.session.goal.trim() !== '';
  return hasGoal ? 'What is the plan to be? Enter takes the goal' : 'What is the plan to be for?';
}

/** A running item that is worked at by the model hears what is said at its next turn. */
function hearsWords({ planRun, plan }: SessionView): boolean {
  const item = planRun.currentItemId === null ? undefined : plan.items.get(planRun.currentItemId);
  return planRun.status === 'running' && item !== undefined && item.command === undefined;
}
