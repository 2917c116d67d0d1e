/** Whether a sentence says what its quotes say, character for character.
 *
 * Of a table row, shown as `column: value; column: value`, each part has to be in a quote.
 */
export function isCopied(text: string, quotes: readonly string[]): boolean {
  if (!text || !quotes.length) return false;
  const bare = quotes.map(withoutBreaks);
  const has = (part: string) => bare.some((quote) => quote.includes(withoutBreaks(part)));
  return has(text) || text.split(/: |; /).every(has);
}

/** Only line breaks and runs of spaces may differ: they are where a renderer put them. */
function withoutBreaks(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
