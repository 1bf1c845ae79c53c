// What a request is answered where it cannot be met.

/** `kind` is "refused", with the `field` at fault where there is one, or "unreachable". */
export class Refusal extends Error {
  constructor(kind, text, field = null) {
    super(text);
    this.kind = kind;
    this.field = field;
  }
}
