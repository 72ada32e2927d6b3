/** Entries of the inbox that only tell something: no effect, no answer, no deadline. */
import type { InboxDraft } from './run-state.js';

type Told = Pick<InboxDraft, 'kind' | 'title' | 'detail'> & Partial<Pick<InboxDraft, 'itemId' | 'runId' | 'effectId'>>;

export const tellPerson = (told: Told): InboxDraft => ({
  itemId: null,
  runId: null,
  effectId: null,
  tool: null,
  options: [],
  default: null,
  deadline: null,
  ...told,
});
