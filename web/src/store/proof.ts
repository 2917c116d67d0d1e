/** The page's own check: the text it fetched, sliced at the offsets of a citation, equals the quote. */
import { signal } from "@preact/signals";
import { documentText, Problem, type Citation, type DocumentText } from "../api/client";
import { CodePoints } from "../text/codepoints";

export type Proof = "checking" | "checked" | "failed" | "gone" | "unreachable" | "elsewhere";

/** A stretch of a document that has been fetched. */
export interface Loaded extends DocumentText {
  readonly points: CodePoints;
}

/** How much of a document is fetched before and behind a quote. */
export const AROUND = 12_000;

const proofs = signal<ReadonlyMap<string, Proof>>(new Map());
const windows = new Map<string, Promise<Loaded>[]>();

export function keyOf(citation: Citation): string {
  return [citation.source, citation.document, citation.start, citation.end, citation.quote].join("\n");
}

export function proofOf(citation: Citation): Proof {
  return proofs.value.get(keyOf(citation)) ?? "checking";
}

/** Check citations that have not been checked yet. A quote of no source (a selection) cannot be looked up. */
export function check(citations: readonly Citation[]): void {
  for (const citation of citations) {
    const key = keyOf(citation);
    const known = proofs.value.get(key);
    if (known && known !== "unreachable") continue;
    note(key, "checking");
    void verdict(citation).then((proof) => note(key, proof));
  }
}

async function verdict(citation: Citation): Promise<Proof> {
  if (!citation.source) return "elsewhere";
  try {
    return equals(await around(citation), citation) ? "checked" : "failed";
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 422)) return "gone";
    return "unreachable";
  }
}

/** Whether the text at the offsets of a citation is its quote, letter for letter. */
export function equals(loaded: Pick<Loaded, "start" | "end" | "points">, citation: Citation): boolean {
  if (citation.start < loaded.start || citation.end > loaded.end || citation.end <= citation.start)
    return false;
  return loaded.points.slice(citation.start - loaded.start, citation.end - loaded.start) === citation.quote;
}

function note(key: string, proof: Proof): void {
  proofs.value = new Map(proofs.value).set(key, proof);
}

/** A fetched stretch that holds a citation, with some text around it. */
export async function around(citation: Citation): Promise<Loaded> {
  const place = `${citation.source}\n${citation.document}`;
  const known = windows.get(place) ?? [];
  for (const one of known) {
    const loaded = await one;
    if (loaded.start <= citation.start && citation.end <= loaded.end) return loaded;
  }
  const fetched = load(
    citation.source,
    citation.document,
    Math.max(0, citation.start - AROUND),
    citation.end + AROUND,
  );
  windows.set(place, [...(windows.get(place) ?? []), fetched]);
  try {
    return await fetched;
  } catch (error) {
    windows.set(
      place,
      (windows.get(place) ?? []).filter((one) => one !== fetched),
    );
    throw error;
  }
}

export async function load(source: string, id: string, start?: number, end?: number): Promise<Loaded> {
  const text = await documentText(source, id, start, end);
  return { ...text, points: new CodePoints(text.text) };
}
