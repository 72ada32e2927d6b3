/** All migrations, oldest first: the number of a migration is the schema version (`PRAGMA user_version`) that it makes. */
import { initial } from './001-initial.js';
import { loop } from './002-loop.js';
import { missions } from './003-missions.js';

export const migrations: readonly string[] = [initial, loop, missions];
