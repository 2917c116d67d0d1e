/** Keys that work everywhere. Single letters are off while typing, and can be turned off. */
import { signal } from "@preact/signals";
import { ask, draft, running, startAfresh, stop, turns } from "../store/asking";
import { edit } from "../store/editing";
import { toggleWhy } from "../store/why";
import { hide, isOpen, step } from "../store/pane";
import { asMarkdown } from "../ask/copyWith";
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
  const work = WORK[event.key];
  if (!work) return;
  event.preventDefault();
  work();
}

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
  r: () => withLast((turn) => void ask(turn.question, turn.id, [...turn.sources])),
  c: () => withLast((turn) => void copy(asMarkdown(turn))),
};

export function newQuestion(): void {
  hide();
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
  else if (isOpen.value) hide();
  else if (document.activeElement?.id === BOX) (document.activeElement as HTMLElement).blur();
  else return false;
  return true;
}

function withLast(work: (turn: (typeof turns.value)[number]) => void): void {
  const turn = turns.value.at(-1);
  if (turn) work(turn);
}
