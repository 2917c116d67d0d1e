/** A stretch of a text, in code points. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How many code points a text has. */
export function pointsIn(text: string): number {
  return new CodePoints(text).length;
}

/** Offsets of the server count code points; JavaScript's count UTF-16 units. */
export class CodePoints {
  readonly #text: string;
  /** Where the second halves of surrogate pairs are, by the number of the code point that they end. */
  readonly #pairs: number[] = [];

  constructor(text: string) {
    this.#text = text;
    let point = 0;
    for (let at = 0; at < text.length; at++, point++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0xd800 && unit < 0xdc00 && at + 1 < text.length) {
        const next = text.charCodeAt(at + 1);
        if (next >= 0xdc00 && next < 0xe000) {
          this.#pairs.push(point);
          at++;
        }
      }
    }
  }

  get length(): number {
    return this.#text.length - this.#pairs.length;
  }

  /** The UTF-16 offset of a code point. */
  unit(point: number): number {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pairs[middle] as number) < point) low = middle + 1;
      else high = middle;
    }
    return point + low;
  }

  slice(start: number, end: number): string {
    return this.#text.slice(this.unit(start), this.unit(end));
  }
}
