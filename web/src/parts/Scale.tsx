import { text } from "../text/en";

interface Props {
  readonly value: number;
  readonly threshold: number;
}

/** A line from 0 to 1, a tick for the threshold, a dot for the value: filled where it is enough. */
export function Scale({ value, threshold }: Props) {
  const enough = value >= threshold;
  return (
    <span class="scale" role="img" aria-label={text.answer.confidenceLabel(value, threshold)}>
      <span class="threshold" style={{ left: `${threshold * 100}%` }} />
      <span class={`dot${enough ? "" : " empty"}`} style={{ left: `${value * 100}%` }} />
    </span>
  );
}
