import type { Span } from "../text/codepoints";
import { text } from "../text/en";

interface Props {
  readonly length: number;
  readonly now: Span | null;
  readonly others: readonly Span[];
  readonly window: Span;
  /** What is selected. */
  readonly chosen?: Span | null;
}

/** Where in the document the quotes of the answer are, and which stretch of it is here. */
export function Ruler({ length, now, others, window: shown, chosen = null }: Props) {
  const at = (place: number) => `${(100 * place) / Math.max(1, length)}%`;
  return (
    <div class="ruler" role="img" aria-label={text.pane.ruler}>
      {shown.end - shown.start < length && (
        <span class="window" style={{ top: at(shown.start), height: at(shown.end - shown.start) }} />
      )}
      {chosen && (
        <span class="chosen" style={{ top: at(chosen.start), height: at(chosen.end - chosen.start) }} />
      )}
      {others.map((one) => (
        <span key={one.start} style={{ top: at(one.start) }} />
      ))}
      {now && <span class="now" style={{ top: at(now.start) }} />}
    </div>
  );
}
