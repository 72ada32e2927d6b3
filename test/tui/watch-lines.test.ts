import { describe, expect, it } from 'vitest';
import type { RunOutput, SessionChanged } from '../../shared/session.js';
import { inboxEntrySchema } from '../../shared/mission.js';
import { sessionIdSchema } from '../../shared/plan.js';
import { runOutputSchema } from '../../shared/session.js';
import type { ViewOptions } from '../../tui/core/lines/tree-view.js';
import { flush, fromSnapshot, takeChange, takeOutput, treeLines, type Watched } from '../../tui/core/lines/watch-lines.js';
import { askForSample, colours, everyMark, itemOf, planRunOf, sessionOf, snapshotOf, wide } from './tui-support.js';

const sessionId = sessionIdSchema.parse('s_1');

/** A terminal that is told things one after the other. */
function follow(options: ViewOptions = wide, watched: Watched = fromSnapshot(snapshotOf())) {
  const lines: string[] = [];
  let resync = false;
  return {
    lines,
    get watched() {
      return watched;
    },
    get resync() {
      return resync;
    },
    change(part: Omit<SessionChanged, 'sessionId' | 'seq'>) {
      const step = takeChange(watched, { sessionId, seq: 2, ...part }, '10:00:01', options);
      watched = step.watched;
      resync = step.resync ?? false;
      lines.push(...step.lines);
    },
    output(stream: RunOutput['stream'], text: string, part: Partial<Pick<RunOutput, 'tool'>> = {}) {
      const step = takeOutput(
        watched,
        runOutputSchema.parse({ sessionId, runId: 'r_1', itemId: 't4', stream, text, ...part }),
        options,
      );
      watched = step.watched;
      lines.push(...step.lines);
    },
    end() {
      lines.push(...flush(watched, options));
    },
  };
}

describe('following a session', () => {
  it('tells each change of state on a line with its time', () => {
    const terminal = follow();
    const items = [
      itemOf({ ...everyMark[3], id: 't4', parentId: 't2', status: 'done', claimed: true, accepted: true }),
      itemOf({ ...everyMark[4], id: 't5', parentId: 't2', status: 'active' }),
    ];
    terminal.change({
      fromVersion: 1,
      items,
      session: sessionOf(everyMark, 2),
      planRun: planRunOf({ currentItemId: 't5', stepNo: 4 }),
    });
    terminal.change({
      planRun: planRunOf({ currentItemId: 't5', stepNo: 4, attempt: 2, lastError: 'check failed: npm test exited with 1' }),
    });
    terminal.change({ planRun: planRunOf({ status: 'blocked', currentItemId: 't5', lastError: 'The sample is missing.' }) });
    expect(terminal.lines).toEqual([
      '10:00:01 ✔ 2.2 Stream rows  done, accepted',
      '10:00:01 ▶ 2.3 Handle the byte order mark  active',
      '10:00:01 · try 2',
      '    check failed: npm test exited with 1',
      '10:00:01 · running -> blocked',
      '    The sample is missing.',
    ]);
  });

  it('keeps the lines under a change without a time of their own, with colours as without', () => {
    const terminal = follow(colours);
    terminal.change({ planRun: planRunOf({ status: 'blocked', lastError: 'The sample is missing.' }) });
    expect(terminal.lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, ''))).toEqual([
      '10:00:01 · running -> blocked',
      '    The sample is missing.',
    ]);
  });

  it('says what was added, renamed and removed', () => {
    const terminal = follow();
    terminal.change({
      fromVersion: 1,
      session: sessionOf(everyMark, 2),
      items: [itemOf({ id: 't9', position: 9, title: 'Tell the office' })],
    });
    terminal.change({
      fromVersion: 2,
      session: sessionOf(everyMark, 3),
      items: [itemOf({ id: 't9', position: 9, title: 'Tell everybody' })],
      removed: [askForSample.id],
    });
    expect(terminal.lines).toEqual([
      '10:00:01 ○ 4 Tell the office  added',
      '10:00:01 ○ 3 Tell everybody  renamed',
      '10:00:01 1 item removed',
    ]);
  });

  it('tells thousands of changes by their number', () => {
    const terminal = follow();
    terminal.change({
      fromVersion: 1,
      items: Array.from({ length: 5_000 }, (_, n) => itemOf({ id: `n${n}`, position: 10 + n })),
    });
    expect(terminal.lines).toEqual(['10:00:01 5000 items changed']);
  });

  it('asks for a new snapshot when something was missed', () => {
    const terminal = follow();
    terminal.change({ fromVersion: 7, items: [] });
    expect(terminal.resync).toBe(true);
    expect(terminal.lines).toEqual([]);
  });

  it('shows the tree again when the daemon sends a whole snapshot', () => {
    const terminal = follow();
    const snapshot = snapshotOf(everyMark, { planVersion: 8 });
    terminal.change({ snapshot });
    expect(terminal.lines).toEqual(treeLines(fromSnapshot(snapshot), wide));
    terminal.change({ fromVersion: 8, items: [] });
    expect(terminal.resync).toBe(false);
  });

  it('says how an approval is answered', () => {
    const terminal = follow();
    const entry = inboxEntrySchema.parse({
      id: 'i_1',
      sessionId,
      runId: 'r_1',
      itemId: 't4',
      kind: 'approval',
      state: 'open',
      title: 'May shell run?',
      detail: 'npm test\n\u001b[2Jrm -rf build',
      effectId: 'e_1',
      tool: 'shell',
      options: ['allow', 'always', 'deny'],
      answer: null,
      default: 'deny',
      deadline: null,
      openedAt: '2026-03-01T10:00:00.000Z',
      closedAt: null,
    });
    terminal.change({ planRun: planRunOf({ status: 'waiting' }), inbox: [entry] });
    expect(terminal.lines).toEqual([
      '10:00:01 · running -> waiting',
      '10:00:01 ? May shell run?',
      '    npm test',
      '    rm -rf build',
      '    answer: cairn inbox answer i_1 allow|always|deny',
    ]);
  });
});

describe('output of the running leaf', () => {
  it('is shown by whole lines, however it arrives', () => {
    const terminal = follow();
    for (const piece of ['I wr', 'ite it.\nThen', ' I te', 'st.\r\n', 'Do', 'ne.']) terminal.output('text', piece);
    expect(terminal.lines).toEqual(['    │ I write it.', '    │ Then I test.']);
    terminal.end();
    expect(terminal.lines.at(-1)).toBe('    │ Done.');
  });

  it('ends its line when another stream begins, and when the state changes', () => {
    const terminal = follow();
    terminal.output('text', 'I run it');
    terminal.output('tool', 'npm test', { tool: 'shell' });
    terminal.output('tool_output', '3 passed', { tool: 'shell' });
    terminal.change({ planRun: planRunOf({ status: 'paused' }) });
    expect(terminal.lines).toEqual(['    │ I run it', '    $ shell npm test', '    │ 3 passed', '10:00:01 · running -> paused']);
  });

  it('is not broken in two by a change that has no line', () => {
    const terminal = follow();
    terminal.output('text', 'I wr');
    terminal.change({ liveness: { state: 'working', cause: 'the model', lastProgressAt: null } });
    terminal.output('text', 'ite.\n');
    expect(terminal.lines).toEqual(['    │ I write.']);
  });

  it('does nothing to the terminal', () => {
    const terminal = follow();
    terminal.output('tool_output', '\u001b[2J\u001b]0;owned\u0007progress 1\rprogress 2\n');
    expect(terminal.lines).toEqual(['    │ progress 1', '    │ progress 2']);
  });

  it('is not hoarded while a line does not end', () => {
    const terminal = follow();
    for (let n = 0; n < 100; n++) terminal.output('tool_output', 'x'.repeat(1_000));
    expect(terminal.watched.output.rest.length).toBeLessThan(5_000);
    expect(terminal.lines.length).toBeGreaterThan(10);
  });
});
