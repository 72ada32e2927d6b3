/** Options that may be given more than once. */

export const listOf = (value: string, all: string[] | undefined): string[] => [...(all ?? []), value];
