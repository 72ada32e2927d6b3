/** The popup that is open, as a view. */
import { unreachable } from '../../../shared/errors.js';
import type { State } from '../state.js';
import type { PopupView } from './box.js';
import { confirmView } from './confirm.js';
import { detailView } from './detail.js';
import { explainView } from './explain.js';
import { helpView } from './help.js';
import { inboxView } from './inbox.js';
import { menuView } from './menu.js';
import { missionsView } from './missions.js';
import type { Popup } from './popup.js';
import { reportView } from './report.js';
import { revisionsView } from './revisions.js';
import { sessionsView } from './sessions.js';

export function popupView(popup: Popup, state: State): PopupView {
  switch (popup.kind) {
    case 'confirm':
      return confirmView(popup, state);
    case 'menu':
      return menuView(popup, state);
    case 'detail':
      return detailView(popup, state);
    case 'inbox':
      return inboxView(popup, state);
    case 'sessions':
      return sessionsView(popup, state);
    case 'revisions':
      return revisionsView(popup, state);
    case 'missions':
      return missionsView(popup, state);
    case 'report':
      return reportView(popup, state);
    case 'help':
      return helpView(popup, state);
    case 'explain':
      return explainView(popup, state);
    default:
      return unreachable(popup);
  }
}
