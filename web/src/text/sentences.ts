/** Sentences and words of a text, as the language's own rules cut them. */
import { CodePoints, pointsIn, type Span } from "./codepoints";

const SENTENCES = new Intl.Segmenter("en", { granularity: "sentence" });
const WORDS = new Intl.Segmenter("en", { granularity: "word" });

/** A stretch of a document, and where in it it begins. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly points: CodePoints;
}

export interface Measure {
  readonly sentences: number;
  readonly words: number;
}

/** How many sentences and words a text has. */
export function measured(text: string): Measure {
  let words = 0;
  for (const piece of WORDS.segment(text)) if (piece.isWordLike) words++;
  return { sentences: sentenceEnds(text).length, words };
}

/** Where the sentences of a text end, in UTF-16 units, the white space behind them left out. */
function sentenceEnds(text: string): number[] {
  const ends: number[] = [];
  for (const { segment, index } of SENTENCES.segment(text)) {
    if (/[\p{L}\p{N}]/u.test(segment)) ends.push(index + segment.trimEnd().length);
  }
  return ends;
}

/** A span without the white space at its ends; null where nothing else is in it. */
export function trimmed(stretch: Stretch, span: Span): Span | null {
  const text = textOf(stretch, span);
  const before = pointsIn(text.slice(0, text.length - text.trimStart().length));
  const length = pointsIn(text.trim());
  return length ? { start: span.start + before, end: span.start + before + length } : null;
}

/** A span with the sentence that follows it, which is looked for in the next `most` code points. */
export function grown(stretch: Stretch, span: Span, most: number): Span {
  const following = textOf(stretch, { start: span.end, end: Math.min(stretch.end, span.end + most) });
  const [end] = sentenceEnds(following);
  return end ? { start: span.start, end: span.end + pointsIn(following.slice(0, end)) } : span;
}

/** A span without its last sentence; the first one stays. */
export function shrunk(stretch: Stretch, span: Span): Span {
  const text = textOf(stretch, span);
  const end = sentenceEnds(text).at(-2);
  return end ? { start: span.start, end: span.start + pointsIn(text.slice(0, end)) } : span;
}

function textOf(stretch: Stretch, span: Span): string {
  return stretch.points.slice(span.start - stretch.start, span.end - stretch.start);
}
