/** A mission and those below it, a line each: state, progress, what it and all below it have spent, what waits for a person. */
import type { MissionNode } from '../../../shared/mission.js';
import { outcomeGlyph, statusGlyph } from '../glyphs.js';
import { toneOf, type ViewOptions } from '../lines/tree-view.js';
import { openLeaves } from '../plan/progress.js';
import type { Tone } from '../style.js';
import { cost, count } from '../text/numbers.js';
import { fit, padEnd, sanitise, widthOf } from '../text/text.js';

const titleColumn = 40;

export function missionTreeLines(nodes: readonly MissionNode[], view: ViewOptions): string[] {
  const { width, glyphs } = view;
  const heads = nodes.map((node) => headOf(node, view));
  const column = Math.min(titleColumn, Math.floor(width * 0.45), Math.max(0, ...heads.map(widthOf)));
  return nodes.map((node, index) => {
    const head = padEnd(fit(heads[index] ?? '', column, glyphs.ellipsis), column);
    return view.paint(toneFor(node), fit(`${head}  ${factsOf(node, view)}`, width, glyphs.ellipsis));
  });
}

function headOf({ depth, outcome, status, title }: MissionNode, { glyphs }: ViewOptions): string {
  const glyph = outcome === null ? statusGlyph(status, glyphs) : outcomeGlyph(outcome, glyphs);
  return `${'  '.repeat(depth)}${glyph} ${sanitise(title.replaceAll('\n', ' '))}`;
}

function toneFor({ outcome, status }: MissionNode): Tone {
  if (outcome === null) return toneOf(status);
  return outcome === 'landed' ? 'good' : 'bad';
}

function factsOf(
  { sessionId, outcome, status, planner, counts, usage, openInbox }: MissionNode,
  { glyphs }: ViewOptions,
): string {
  const tokens = usage.inputTokens + usage.outputTokens;
  return [
    padEnd(outcome ?? status, 'completed'.length),
    `${counts.done}/${openLeaves(counts)}`,
    ...(planner.state === 'none' || planner.state === 'idle' ? [] : [`planner ${planner.state}`]),
    ...(openInbox === 0 ? [] : [`${openInbox} open in the inbox`]),
    ...(tokens === 0 ? [] : [`${count(tokens)} tokens`]),
    ...(usage.costUsd === null ? [] : [cost(usage.costUsd)]),
    sessionId,
  ].join(` ${glyphs.dot} `);
}
