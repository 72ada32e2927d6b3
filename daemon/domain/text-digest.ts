/** 64 bits in hex, FNV-1a twice with different offsets: enough to see a change, not meant to resist forgery. */
export function digestText(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x2f0b4a27;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + i), 0x01000193);
  }
  const hex = (n: number): string => (n >>> 0).toString(16).padStart(8, '0');
  return hex(a) + hex(b);
}
