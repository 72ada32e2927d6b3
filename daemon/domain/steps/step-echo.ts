/** How an error repeats a model's own words: short, and with nothing in it that cannot be seen. */

/** Characters. */
const longestEcho = 200;

function shorten(text: string): string {
  if (text.length <= longestEcho) return text;
  const characters = Array.from(text);
  return characters.length > longestEcho ? `${characters.slice(0, longestEcho).join('')}…` : text;
}

const unseen = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const escapeUnseen = (text: string): string => text.replace(unseen, (character) => character.split('').map(escapeUnit).join(''));

export const echo = (text: string): string => escapeUnseen(shorten(text));

/** As Go's `%q`: in double quotes, with quotes, backslashes and what cannot be seen escaped. */
export const quote = (text: string): string => escapeUnseen(JSON.stringify(shorten(text)));
