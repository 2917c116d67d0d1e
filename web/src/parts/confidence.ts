import { text } from "../text/en";

const VERY_LIKELY = 0.85;
const LIKELY = 0.6;

/** A confidence in words; from the threshold on there is an answer. */
export function inWords(confidence: number, threshold: number): string {
  const words = text.answer.confidence;
  if (confidence < threshold) return words.none;
  return confidence >= VERY_LIKELY ? words.veryLikely : confidence >= LIKELY ? words.likely : words.perhaps;
}
