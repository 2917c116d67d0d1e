import { text } from "../text/en";

/** A confidence in words; from the threshold on there is an answer. */
export function inWords(confidence: number, threshold: number): string {
  const { none, veryLikely, likely, perhaps } = text.answer.confidence;
  if (confidence < threshold) return none;
  return confidence >= 0.85 ? veryLikely : confidence >= 0.6 ? likely : perhaps;
}
