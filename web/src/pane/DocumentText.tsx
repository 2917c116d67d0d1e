import type { Loaded } from "../store/proof";
import { text } from "../text/en";
import type { Span } from "../text/codepoints";
import { BAR, cells, markedBlocks, type Piece } from "./marked";

export const MARK_ID = "quote-mark";

interface Props {
  readonly loaded: Loaded;
  /** The quote that is shown; null while it does not hold. */
  readonly now: Span | null;
  readonly number: number;
  readonly others: readonly Span[];
}

/** A document's text, each block as what it is, and the quote marked in it. */
export function DocumentText({ loaded, now, number, others }: Props) {
  let isFirst = true;
  const shown = (piece: Piece, at: number) => {
    const bar = piece.text === BAR ? "bar" : undefined;
    if (piece.mark !== "now") {
      const kind = bar ?? (piece.mark || undefined);
      return kind ? <span key={at} class={kind} children={piece.text} /> : piece.text;
    }
    const id = isFirst ? MARK_ID : undefined;
    isFirst = false;
    const label = id ? text.citation.quoteLabel(number) : undefined;
    return (
      <mark key={at} id={id} class={bar} tabIndex={id ? -1 : undefined} aria-label={label}>
        {piece.text}
      </mark>
    );
  };
  return (
    <div class="document" lang="en">
      {markedBlocks(loaded, now, others).map((block) => (
        <div
          key={block.start}
          class={block.kind}
          role={block.kind === "heading" ? "heading" : undefined}
          aria-level={block.kind === "heading" ? 3 : undefined}
        >
          {block.kind === "row"
            ? cells(block.pieces).map((cell, at) => <span key={at} class="cell" children={cell.map(shown)} />)
            : block.pieces.map(shown)}
        </div>
      ))}
    </div>
  );
}
