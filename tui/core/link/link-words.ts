/** How it is told that nothing can be changed just now. */
import { unreachable } from '../../../shared/errors.js';
import type { Link } from '../state.js';

/** Why not, as the beginning of a sentence; for a link that is not open. */
export function whyNot(link: Exclude<Link, { state: 'open' }>): string {
  switch (link.state) {
    case 'connecting':
      return link.isStarting ? 'The daemon is still starting' : 'Still looking for the daemon';
    case 'lost':
      return 'The daemon does not answer just now';
    case 'otherProtocol':
      return 'Another version of the daemon runs';
    default:
      return unreachable(link);
  }
}

/** What the person can do about it: a sentence to follow, or nothing. */
export const whatHelps = ({ state }: Link): string => (state === 'lost' ? ' r starts it.' : '');
