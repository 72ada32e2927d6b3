/** The last rows: what the keys do here, or what just happened; then model, spending, inbox and connection. */
import type { Row, Span } from '../press.js';
import type { Rect } from '../frame.js';
import { type Fact, factsOf } from './facts.js';
import { hints } from './hints.js';
import { apart, fitSpans, segments, span, spansWidth } from './rows.js';
import { isNews } from '../popups/inbox.js';
import { type SessionView, type State } from '../state.js';
import { sanitise } from '../text/text.js';

export function statusPane(state: State, { width, height }: Rect): readonly Row[] {
  const { glyphs, notice } = state;
  const told = notice === null ? null : fitSpans([span(` ${sanitise(notice.text)}`, notice.tone)], width, glyphs);
  if (height === 1) return [{ spans: told ?? oneRow(state, width) }];
  return [{ spans: told ?? [span(' '), ...segments(hints(state), width - 1, glyphs)] }, { spans: factsRow(state, width) }];
}

/** Where there is but one row: what needs the person, a budget near its end, then the hints. */
function oneRow(state: State, width: number): readonly Span[] {
  if (state.prompt !== null) return [span(' '), ...segments(hints(state), width - 1, state.glyphs)];
  const nearEnd = factsOf(state)
    .filter((fact) => fact.isNearEnd)
    .map(factSpans);
  const urgent = [linkSpans(state), inboxSpans(state.session), ...nearEnd].filter((spans) => spans.length > 0);
  const left = segments(urgent, width - 1, state.glyphs);
  const rest = width - 2 - spansWidth(left);
  const keys = segments(hints(state), Math.max(0, rest - 2), state.glyphs);
  return [span(' '), ...left, ...(left.length > 0 && keys.length > 0 ? [span(` ${state.glyphs.dot} `, 'dim')] : []), ...keys];
}

function factsRow(state: State, width: number): readonly Span[] {
  const { session, glyphs } = state;
  const right =
    session === null ? [] : [...segments([inboxSpans(session), linkSpans(state)], Math.floor(width / 2), glyphs), span(' ')];
  const left = segments(factsOf(state).map(factSpans), Math.max(0, width - 2 - spansWidth(right)), glyphs);
  return apart([span(' '), ...left], right, width, glyphs);
}

function linkSpans({ link, now }: State): Span[] {
  switch (link.state) {
    case 'open':
      return [];
    case 'connecting':
      return [span(link.isStarting ? 'starting the daemon' : 'connecting', 'warn')];
    case 'lost': {
      const seconds = Math.max(0, Math.ceil((link.retryAt - now) / 1000));
      return [span(seconds > 0 ? `connection lost, again in ${seconds} s` : 'connection lost, trying', 'bad')];
    }
    case 'otherProtocol':
      return [span('another version of the daemon runs', 'bad')];
  }
}

function inboxSpans(session: SessionView | null): Span[] {
  const inbox = session?.inbox ?? [];
  const news = inbox.filter(isNews).length;
  const waiting = inbox.length - news;
  const press = { on: 'action', action: 'inbox' } as const;
  if (waiting > 0) return [span(`${waiting} waiting for you (i)`, 'warn', press)];
  return news > 0 ? [span(`${news} to see (i)`, 'accent', press)] : [];
}

const factSpans = ({ text, unit, tone }: Fact): Span[] => [span(text + unit, tone)];
