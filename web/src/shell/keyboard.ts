/** Keys that work everywhere. Single letters are off while typing, and can be turned off. */
import { signal } from "@preact/signals";
import { ask, draft, running, startAfresh, stop, turns } from "../store/asking";
import { extend, isAskOpen, reading, select, selectBlock, selection, TEXT_ID } from "../store/book";
import { go, view } from "../store/current";
import { edit } from "../store/editing";
import { toggleWhy } from "../store/why";
import { hide, isOpen, step } from "../store/pane";
import { asMarkdown } from "../ask/copyWith";
import { focusAsk } from "../book/focus";
import { dismiss } from "../ask/card";
import { copy } from "../parts/announce";
import { isMenuOpen } from "./menu";

export const areKeysListed = signal(false);
export const singleKeys = signal(true);

const BOX = "question";

export function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    if (escape()) event.preventDefault();
    return;
  }
  const target = event.target instanceof HTMLElement ? event.target : null;
  // the focus stays for a moment in a dialog that has just been closed
  const dialog = target?.closest("dialog");
  if (dialog ? dialog.open : target?.closest("input, textarea, select")) return;
  if (!singleKeys.value && event.key !== "?") return;
  const work = afterG ? AFTER_G[event.key] : (inBook(event) ?? WORK[event.key]);
  afterG = event.key === "g" && !afterG;
  if (!work) return;
  event.preventDefault();
  work();
}

/** Whether the key before was `g`, which goes somewhere with the next one. */
let afterG = false;

const AFTER_G: Record<string, () => void> = {
  b: () => go({ kind: "documents", source: "" }),
  c: () => go({ kind: "collections", name: "" }),
  r: () => go({ kind: "rules" }),
  h: () => go({ kind: "health" }),
};

/** What a key does where a document is read. */
function inBook(event: KeyboardEvent): (() => void) | undefined {
  if (!reading.value) return undefined;
  if (event.shiftKey && selection.value) {
    if (event.key === "ArrowRight" || event.key === "ArrowDown") return () => extend(1);
    if (event.key === "ArrowLeft" || event.key === "ArrowUp") return () => extend(-1);
  }
  return IN_BOOK[event.key];
}

const IN_BOOK: Record<string, () => void> = {
  s: () => selectBlock(),
  S: () => selectBlock(-1),
  a: focusAsk,
};

const WORK: Record<string, () => void> = {
  "/": () => document.getElementById(BOX)?.focus(),
  "[": () => step(-1),
  "]": () => step(1),
  "?": () => (areKeysListed.value = true),
  w: () => toggleWhy(turns.value.at(-1)),
  n: () => {
    newQuestion();
  },
  e: () => withLast(edit),
  r: () => withLast((turn) => void ask(turn.question, turn.id, turn)),
  c: () => withLast((turn) => void copy(asMarkdown(turn))),
};

export function newQuestion(): void {
  hide();
  if (view.value.kind !== "ask") go({ kind: "ask", conversation: null });
  startAfresh();
  draft.value = "";
  isMenuOpen.value = false;
  setTimeout(() => document.getElementById(BOX)?.focus());
}

/** Stop, else close what is topmost, else leave the box; whether anything was done. */
function escape(): boolean {
  if (running.value) stop();
  else if (dismiss()) return true;
  else if (isMenuOpen.value) isMenuOpen.value = false;
  else if (reading.value && isAskOpen.value) leaveBox();
  else if (reading.value && selection.value) select(null);
  else if (isOpen.value) hide();
  else if (document.activeElement?.id === BOX) (document.activeElement as HTMLElement).blur();
  else return false;
  return true;
}

/** Go back from the questions to the text that they are put to. */
function leaveBox(): void {
  isAskOpen.value = false;
  document.getElementById(TEXT_ID)?.focus({ preventScroll: true });
}

function withLast(work: (turn: (typeof turns.value)[number]) => void): void {
  const turn = turns.value.at(-1);
  if (turn) work(turn);
}
