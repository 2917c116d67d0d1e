/** What the page shows, as its address says: the conversation, the list of documents, a document that is read, or a screen to look after them. */
import { effect, signal } from "@preact/signals";
import type { Span } from "../text/codepoints";

export interface Asking {
  readonly kind: "ask";
  readonly conversation: string | null;
}

export interface Listing {
  readonly kind: "documents";
  /** The name of a source; "" for the first. */
  readonly source: string;
}

export interface Reading {
  readonly kind: "book";
  readonly source: string;
  readonly document: string;
  /** What is selected in the beginning. */
  readonly span: Span | null;
}

export interface Collecting {
  readonly kind: "collections";
  /** The name of a collection; "" for the list alone. */
  readonly name: string;
}

export interface Ruling {
  readonly kind: "rules";
}

export interface Watching {
  readonly kind: "health";
}

/** The screens for those who look after the documents and the rules. */
export type Managing = Collecting | Ruling | Watching;
export type View = Asking | Listing | Reading | Managing;

const CONVERSATION = /^#c\/([0-9a-f]{32})$/;
const DOCUMENTS = /^#d(?:\/([a-z0-9_-]{1,63}))?$/;
const DOCUMENT = /^#d\/([a-z0-9_-]{1,63})\/([a-z0-9-]+:[0-9a-f]{64})(?:\/(\d{1,10})-(\d{1,10}))?$/;

const COLLECTION = /^#collections(?:\/([a-z0-9][a-z0-9_-]{0,62}))?$/;

/** The view that an address names; anything unknown is a new question. */
export function viewOf(hash: string): View {
  const read = DOCUMENT.exec(hash);
  if (read) {
    const [, source = "", document = "", start, end] = read;
    const span =
      start && end && Number(start) < Number(end) ? { start: Number(start), end: Number(end) } : null;
    return { kind: "book", source, document, span };
  }
  const listed = DOCUMENTS.exec(hash);
  if (listed) return { kind: "documents", source: listed[1] ?? "" };
  const managed = COLLECTION.exec(hash);
  if (managed) return { kind: "collections", name: managed[1] ?? "" };
  if (hash === "#rules") return { kind: "rules" };
  if (hash === "#health") return { kind: "health" };
  return { kind: "ask", conversation: CONVERSATION.exec(hash)?.[1] ?? null };
}

/** The address of a view, for links. */
export function hashOf(view: View): string {
  if (view.kind === "ask") return view.conversation ? `#c/${view.conversation}` : "#";
  if (view.kind === "documents") return view.source ? `#d/${view.source}` : "#d";
  if (view.kind === "collections") return view.name ? `#collections/${view.name}` : "#collections";
  if (view.kind === "rules" || view.kind === "health") return `#${view.kind}`;
  const span = view.span ? `/${view.span.start}-${view.span.end}` : "";
  return `#d/${view.source}/${view.document}${span}`;
}

export const view = signal<View>(viewOf(location.hash));

/** The conversation that questions go on with, by its id on the server; also while a document is read. */
export const conversation = signal<string | null>(null);

/** Show a view, and note it in the browser's history. */
export function go(to: View): void {
  history.pushState(null, "", hashOf(to));
  view.value = to;
}

let isFirst = true;

effect(() => {
  const id = conversation.value;
  const shown = view.peek();
  // what the address names in the beginning has yet to be opened
  if (isFirst || shown.kind !== "ask" || shown.conversation === id) {
    isFirst = false;
    return;
  }
  const next: View = { kind: "ask", conversation: id };
  history.pushState(null, "", id ? hashOf(next) : location.pathname + location.search);
  view.value = next;
});
