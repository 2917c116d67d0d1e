import type { Turn } from "../store/turn";
import { open } from "../store/pane";
import { isCopied } from "../text/copied";
import { Chip } from "./Chip";

interface Props {
  readonly turn: Turn;
  readonly words: string;
  /** Positions in the turn's citations. */
  readonly citations: readonly number[];
}

/** Words with the chips that prove them: in serif where the quote says just this, in sans where it is reworded. */
export function Said({ turn, words, citations }: Props) {
  const cited = citations.flatMap((at) => {
    const citation = turn.citations[at];
    return citation ? [{ at, citation }] : [];
  });
  const copied = isCopied(
    words,
    cited.map((one) => one.citation.quote),
  );
  const isActive = open.value?.turn === turn.id && citations.includes(open.value.at);
  const cut = words.lastIndexOf(" ") + 1;
  const chips = cited.map(({ at, citation }) => (
    <Chip key={at} turn={turn} at={at} citation={citation} reworded={!copied && words !== ""} />
  ));
  return (
    <span class={copied ? "copied" : "reworded"}>
      <span class={`said${isActive ? " active" : ""}`}>{words.slice(0, cut)}</span>
      <span class="bound">
        <span class={`said last-word${isActive ? " active" : ""}`}>{words.slice(cut)}</span>
        {chips}
      </span>
    </span>
  );
}
