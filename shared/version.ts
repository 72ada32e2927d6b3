/** The version of the package, in one place for the daemon and its clients' checks; `npm run check` compares it. */
export const version = '0.1.0';
