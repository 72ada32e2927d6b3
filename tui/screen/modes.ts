/** What is asked of the terminal when the screen takes it, and how it is given back. Source: xterm's control sequences. */

const csi = '\u001b[';

/** Pasted text marked as such; mouse buttons, wheel and drags by cell. */
const [pastes, mouse] = [`${csi}?2004h`, `${csi}?1000h${csi}?1002h${csi}?1006h`];

/** The other screen, cleared, without a cursor; pastes are told, and the mouse where it is wanted. */
export const enterScreen = (withMouse: boolean): string =>
  `${csi}?1049h${pastes}${withMouse ? mouse : ''}${csi}?25l${csi}m${csi}H${csi}2J`;

/**
 * Everything that a screen may have changed, whoever did: pasting, every kind of mouse report, focus reports, cursor keys and
 * keypad, scroll region, colours, character set, cursor. Cleared first, for terminals without another screen (Linux console).
 */
export const leaveScreen = [
  ...['?2004', '?1000', '?1002', '?1003', '?1005', '?1006', '?1015', '?1004', '?1'].map((mode) => `${csi}${mode}l`),
  '\u001b>',
  `${csi}r${csi}m`,
  '\u001b(B\u000f',
  `${csi}H${csi}2J`,
  `${csi}?25h`,
  `${csi}?1049l`,
].join('');

/** Ends a sequence of which only the first half was written. */
export const cancelSequence = '\u0018';
