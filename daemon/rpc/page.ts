/** Pages of lists. */
import type { Page } from '../store/queries.js';

const defaultLimit = 100;

export const pageFrom = ({ limit, cursor }: { limit?: number | undefined; cursor?: string | undefined }): Page => ({
  limit: limit ?? defaultLimit,
  cursor: cursor ?? null,
});
