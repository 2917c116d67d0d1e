/** The document that is read: its text, what is selected in it, and where in it the reader is. */
import { computed, effect, signal, untracked } from "@preact/signals";
import { documents, Problem, type DocumentList } from "../api/client";
import { text } from "../text/en";
import { shrunk, grown, measured, trimmed } from "../text/sentences";
import type { Span } from "../text/codepoints";
import { view, type Reading } from "./current";
import { load, type Loaded } from "./proof";

/** How much is fetched at once: before the place that is shown, and in all. */
const BEFORE = 40_000;
const WINDOW = 200_000;

/** The contents list all documents of a source that has no more than these. */
const MOST_LISTED = 300;

/** How far a sentence is looked for behind a selection. */
const LONGEST_SENTENCE = 5_000;

/** The id of the element that shows the text. */
export const TEXT_ID = "book-text";

export const reading = computed<Reading | null>(() => (view.value.kind === "book" ? view.value : null));
const place = computed(() => (reading.value ? `${reading.value.source}\n${reading.value.document}` : ""));
const source = computed(() => reading.value?.source ?? "");

/** The text, or the stretch of it that has been fetched; null until it is there. */
export const loaded = signal<Loaded | null>(null);
export const problem = signal("");

/** The documents of the source, with how many there are; null until they are there. */
export const siblings = signal<DocumentList | null>(null);

/** What is selected, in code points of the document's text. */
export const selection = signal<Span | null>(null);

/** Where to scroll next: to the block of this code point. */
export const target = signal<number | null>(null);

/** The code point at the top of what is in view. */
export const here = signal(0);

/** Where the block begins that was clicked last; null after scrolling. */
export const caret = signal<number | null>(null);

/** Whether the questions are in front of the text, on a small screen. */
export const isAskOpen = signal(false);

/** How much is selected; null for nothing. */
export const measure = computed(() => {
  const words = selectedText();
  return words ? measured(words) : null;
});

let latest = 0;

/** Fetch the stretch of the document around a place. */
export async function fetchAround(at: number): Promise<void> {
  const now = untracked(() => reading.value);
  if (!now) return;
  const request = ++latest;
  problem.value = "";
  try {
    const start = Math.max(0, at - BEFORE);
    const found = await load(now.source, now.document, start, start + WINDOW);
    if (request === latest) loaded.value = found;
  } catch (error) {
    if (request !== latest) return;
    problem.value = error instanceof Problem && error.detail ? error.detail : text.pane.unreachable;
  }
}

effect(() => {
  if (!place.value) return;
  const span = untracked(() => reading.value?.span ?? null);
  loaded.value = null;
  problem.value = "";
  selection.value = span;
  target.value = span?.start ?? null;
  here.value = 0;
  caret.value = null;
  isAskOpen.value = false;
  void fetchAround(span?.start ?? 0);
});

effect(() => {
  const name = source.value;
  siblings.value = null;
  if (!name) return;
  documents(name, "", 0, MOST_LISTED)
    .then((found) => {
      if (source.peek() === name) siblings.value = found;
    })
    // the contents of the document itself are there all the same
    .catch(() => undefined);
});

/** Whether the source has so few documents that all of them are listed. */
export const isListed = computed(() => {
  const found = siblings.value;
  return found !== null && found.total > 1 && found.total <= MOST_LISTED;
});

/** Show a place of the document; it is fetched where it is not here yet. */
export function goTo(at: number): void {
  target.value = at;
  const now = loaded.value;
  if (now && (at < now.start || at > now.end)) void fetchAround(at);
}

export function selectedText(): string {
  const now = loaded.value;
  const span = selection.value;
  if (!now || !span || span.start < now.start || span.end > now.end) return "";
  return now.points.slice(span.start - now.start, span.end - now.start);
}

/** Select a stretch, without the white space at its ends; nothing where nothing else is in it. */
export function select(span: Span | null): void {
  const now = loaded.value;
  selection.value = span && now ? trimmed(now, span) : null;
}

/** Select the block after what is selected, or before it; without a selection that which is in view. */
export function selectBlock(by: 1 | -1 = 1): void {
  const now = loaded.value;
  if (!now) return;
  const blocks = now.blocks.filter(([kind]) => kind !== "heading");
  const span = selection.value;
  const found = !span
    ? (blocks.find(([, start]) => start >= (caret.value ?? here.value)) ?? blocks.at(-1))
    : by > 0
      ? blocks.find(([, start]) => start >= span.end)
      : blocks.findLast(([, , end]) => end <= span.start);
  if (!found) return;
  selection.value = { start: found[1], end: found[2] };
  target.value = found[1];
}

/** Extend the selection by a sentence, or shorten it by one. */
export function extend(by: 1 | -1): void {
  const now = loaded.value;
  const span = selection.value;
  if (!now || !span) return;
  const next = by > 0 ? grown(now, span, LONGEST_SENTENCE) : shrunk(now, span);
  selection.value = next;
}
