/** What the source pane shows: a citation of a turn, or a document by itself. */
import { computed, signal } from "@preact/signals";
import type { Citation } from "../api/client";
import { laidOut } from "./layout";
import { turns } from "./asking";
import { check } from "./proof";
import { isAskOpen } from "./book";
import { go, view } from "./current";

export interface OpenCitation {
  readonly turn: string;
  /** The citation's position in `Turn.citations`. */
  readonly at: number;
}

export interface OpenDocument {
  readonly source: string;
  readonly document: string;
  readonly reference: string;
}

export const open = signal<OpenCitation | null>(null);
export const openDocument = signal<OpenDocument | null>(null);
export const isTall = signal(false);

/** Whether PDF files are shown as they are printed. */
export const isPrinted = signal(false);
export const isOpen = computed(() => open.value !== null || openDocument.value !== null);

/** What had the focus when the pane was opened. */
let opener: HTMLElement | null = null;

export const openTurn = computed(() => turns.value.find((turn) => turn.id === open.value?.turn) ?? null);
export const openCitation = computed<Citation | null>(
  () => openTurn.value?.citations[open.value?.at ?? -1] ?? null,
);

/** Show a citation: in the pane, or in its document where documents are read. */
export function show(turn: string, at: number): void {
  remember();
  openDocument.value = null;
  open.value = { turn, at };
  const citation = openCitation.value;
  if (citation) check([citation]); // it may not have been possible before
  const now = view.value;
  if (now.kind !== "book" || !citation?.source) return;
  isAskOpen.value = false;
  if (now.document !== citation.document || now.source !== citation.source) {
    go({ kind: "book", source: citation.source, document: citation.document, span: null });
  }
}

export function readDocument(source: string, document: string, reference: string): void {
  if (view.value.kind === "book") {
    go({ kind: "book", source, document, span: null });
    return;
  }
  remember();
  open.value = null;
  openDocument.value = { source, document, reference };
}

export function hide(): void {
  open.value = null;
  openDocument.value = null;
  isTall.value = false;
  opener?.focus();
  opener = null;
}

/** Go to the citation after, or before; from the last to the first. Without a pane it begins with the newest answer. */
export function step(by: 1 | -1): void {
  const turn = openTurn.value ?? turns.value.findLast((one) => one.citations.length > 0);
  if (!turn?.citations.length) return;
  const { order } = laidOut(turn);
  const count = order.length;
  const from = open.value?.turn === turn.id ? order.indexOf(open.value.at) : by > 0 ? -1 : count;
  const at = order[(from + by + count) % count];
  if (at !== undefined) show(turn.id, at);
}

function remember(): void {
  if (!isOpen.value && document.activeElement instanceof HTMLElement) opener = document.activeElement;
}
