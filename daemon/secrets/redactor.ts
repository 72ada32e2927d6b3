/** The port of redaction: secrets are replaced before anything is stored, logged or published. */

/** Redacts a text that comes in pieces; holds back what could be the beginning of a secret. */
export interface StreamRedactor {
  /** Gives the part that is safe to publish now. */
  write(text: string): string;
  /** Gives the rest. */
  end(): string;
}

export interface Redactor {
  redact(text: string): string;
  stream(): StreamRedactor;
}
