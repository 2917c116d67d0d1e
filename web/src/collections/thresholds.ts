/** What thresholds make of the distances of questions. */

export type Outcome = "match" | "partial" | "refused";

export interface Lines {
  readonly match: number;
  readonly partial: number;
}

export interface Tried {
  readonly question: string;
  /** Of the nearest passage, 0 to 2; 2 where nothing was found. */
  readonly distance: number;
}

/** Beyond it nothing is near: the greatest distance there is. */
export const FARTHEST = 2;
const SHORTEST_AXIS = 1.2;

export function outcomeOf(distance: number, lines: Lines): Outcome {
  return distance < lines.match ? "match" : distance < lines.partial ? "partial" : "refused";
}

/** How many questions have another outcome than before. */
export function flips(tried: readonly Tried[], before: Lines | null, now: Lines): number {
  if (!before) return 0;
  return tried.filter(({ distance }) => outcomeOf(distance, before) !== outcomeOf(distance, now)).length;
}

/** Where the axis ends: at the farthest question and line, with some room. */
export function axisEnd(tried: readonly Tried[], ...lines: readonly (Lines | null)[]): number {
  const distances = tried.map(({ distance }) => distance).filter((distance) => distance < FARTHEST);
  const ends = lines.flatMap((pair) => (pair ? [pair.match, pair.partial] : []));
  return Math.min(FARTHEST, Math.max(SHORTEST_AXIS, ...distances.map((far) => far + 0.1), ...ends));
}

/** Move a line; the two do not cross. */
export function moved(lines: Lines, name: keyof Lines, to: number, end: number): Lines {
  const value = Math.round(Math.min(end, Math.max(0, to)) * 100) / 100;
  return name === "match"
    ? { ...lines, match: Math.min(value, lines.partial) }
    : { ...lines, partial: Math.max(value, lines.match) };
}

/** The questions of a pasted text: its lines, each once. */
export function questionsOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines.filter(Boolean))];
}
