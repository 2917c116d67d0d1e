import type { Loaded } from "../store/proof";
import { text } from "../text/en";
import type { Span } from "../text/codepoints";
import { markedBlocks } from "./marked";

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
  return (
    <div class="document" lang="en">
      {markedBlocks(loaded, now, others).map((block) => {
        return (
          <div
            key={block.start}
            class={block.kind}
            role={block.kind === "heading" ? "heading" : undefined}
            aria-level={block.kind === "heading" ? 3 : undefined}
          >
            {block.pieces.map((piece, at) => {
              if (piece.mark === "") return piece.text;
              if (piece.mark === "also") {
                return (
                  <span key={at} class="also">
                    {piece.text}
                  </span>
                );
              }
              const id = isFirst ? MARK_ID : undefined;
              isFirst = false;
              return (
                <mark
                  key={at}
                  id={id}
                  tabIndex={id ? -1 : undefined}
                  aria-label={id ? text.citation.quoteLabel(number) : undefined}
                >
                  {piece.text}
                </mark>
              );
            })}
          </div>
        );
      })}
    </div>
  );
}
