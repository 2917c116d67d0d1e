import type { Citation } from "../api/client";
import { reading, TEXT_ID } from "../store/book";
import { open, show } from "../store/pane";
import { proofOf } from "../store/proof";
import { text } from "../text/en";
import type { Turn } from "../store/turn";
import { hover, unhover } from "./card";
import { numberOf } from "../store/layout";

interface Props {
  readonly turn: Turn;
  readonly at: number;
  readonly citation: Citation;
  readonly reworded: boolean;
}

/** The number of a citation, glued to the words it proves; it opens the source at the quote. */
export function Chip({ turn, at, citation, reworded }: Props) {
  const proof = proofOf(citation);
  const isOpen = open.value?.turn === turn.id && open.value.at === at;
  const isPending = proof === "checking" || proof === "unreachable" || proof === "elsewhere";
  const isFailed = proof === "failed" || proof === "gone";
  const number = numberOf(turn, at);
  return (
    <button
      type="button"
      id={`${turn.id}-chip-${at}`}
      class={`chip${isPending ? " pending" : ""}${isFailed ? " failed" : ""}`}
      aria-label={text.citation.label(number, citation.document_ref, text.citation.proof[proof], reworded)}
      aria-expanded={isOpen}
      aria-controls={reading.value ? TEXT_ID : "pane"}
      onClick={() => show(turn.id, at)}
      onPointerEnter={(event) => hover(event.currentTarget, citation, number)}
      onPointerLeave={unhover}
      onFocus={(event) => hover(event.currentTarget, citation, number)}
      onBlur={unhover}
    >
      {reworded && "≈ "}
      {isFailed ? `! ${number}` : number}
    </button>
  );
}
