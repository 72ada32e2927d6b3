/** Where the build puts the programs and what they need. */
import { basename, dirname } from 'node:path';

/** What several parts share is built into files of a folder below. */
export const programFolder = basename(import.meta.dirname) === 'chunks' ? dirname(import.meta.dirname) : import.meta.dirname;
