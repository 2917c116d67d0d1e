/** A document's blocks, cut where quotes begin and end. All offsets are code points of the document's text. */
import type { Loaded } from "../store/proof";
import type { Span } from "../text/codepoints";

export interface Piece {
  readonly text: string;
  /** `now` is the quote that is shown, `also` another one of the answer. */
  readonly mark: "now" | "also" | "";
}

export interface MarkedBlock {
  readonly kind: string;
  readonly start: number;
  readonly pieces: readonly Piece[];
}

export function markedBlocks(loaded: Loaded, now: Span | null, others: readonly Span[]): MarkedBlock[] {
  return loaded.blocks.map(([kind, start, end]) => ({
    kind,
    start,
    pieces: pieces(loaded, start, end, now, others),
  }));
}

/** The cells of a table's row. The bars between them stay in the text, since offsets count them. */
export function cells(row: readonly Piece[]): Piece[][] {
  const found: Piece[][] = [[]];
  for (const piece of row) {
    for (const part of piece.text.split(/( \| )/)) {
      if (part) found.at(-1)?.push({ text: part, mark: piece.mark });
      if (part === BAR) found.push([]);
    }
  }
  return found;
}

export const BAR = " | ";

function pieces(
  loaded: Loaded,
  start: number,
  end: number,
  now: Span | null,
  others: readonly Span[],
): Piece[] {
  const cuts = new Set([start, end]);
  for (const span of now ? [now, ...others] : others) {
    if (span.start > start && span.start < end) cuts.add(span.start);
    if (span.end > start && span.end < end) cuts.add(span.end);
  }
  const places = [...cuts].sort((one, other) => one - other);
  return places.slice(0, -1).map((from, at) => {
    const to = places[at + 1] as number;
    const within = (span: Span) => span.start <= from && to <= span.end;
    const mark = now && within(now) ? "now" : others.some(within) ? "also" : "";
    return { text: loaded.points.slice(from - loaded.start, to - loaded.start), mark };
  });
}
