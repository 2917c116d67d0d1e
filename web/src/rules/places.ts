/** Places in a text, by lines and columns from 1. */

/** Where a line begins, in UTF-16 units as fields count them. */
export function startOf(text: string, line: number): number {
  let at = 0;
  for (let left = line - 1; left > 0; left -= 1) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

/** The word at a place, with `-` and `_`: where it begins and ends. */
export function wordAt(text: string, line: number, column: number): { start: number; end: number } {
  const first = startOf(text, line);
  // columns are code points
  const lineText = text.slice(first).split("\n", 1)[0] ?? "";
  const start =
    first +
    Array.from(lineText)
      .slice(0, column - 1)
      .join("").length;
  const length = /^[\w-]*/.exec(text.slice(start))?.[0].length ?? 0;
  return { start, end: start + length };
}

/** The stretch in which two texts differ, by lines: what each has there, and the line where it begins. */
export function difference(one: string, other: string): { line: number; one: string[]; other: string[] } {
  const [left, right] = [one.split("\n"), other.split("\n")];
  const shorter = Math.min(left.length, right.length);
  let first = 0;
  while (first < shorter && left[first] === right[first]) first += 1;
  let last = 0;
  while (last < shorter - first && left.at(-1 - last) === right.at(-1 - last)) last += 1;
  return {
    line: first + 1,
    one: left.slice(first, left.length - last),
    other: right.slice(first, right.length - last),
  };
}
