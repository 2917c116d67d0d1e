/** What was taken out of a list, and goes on the server when there was time to undo that. */
import { signal } from "@preact/signals";

const UNDO_MS = 6000;

export interface Removal {
  /** What people read as its name. */
  readonly title: string;
  /** Remove it on the server, also while the page is being closed. */
  readonly commit: () => void;
  /** Show it again. */
  readonly undo: () => void;
}

export const removal = signal<Removal | null>(null);
let timer = 0;

/** What was just done, in a sentence, for a moment. */
export const notice = signal("");
let noticeTimer = 0;

/** Say that something was done. */
export function tell(words: string): void {
  clearTimeout(noticeTimer);
  notice.value = words;
  noticeTimer = window.setTimeout(() => (notice.value = ""), UNDO_MS);
}

/** Remove something in a moment, and what was waiting to be removed at once. */
export function removeLater(next: Removal): void {
  commit();
  removal.value = next;
  release();
}

/** Keep the offer to undo, as long as somebody is at it. */
export function hold(): void {
  clearTimeout(timer);
}

/** Go on counting after `hold`. */
export function release(): void {
  clearTimeout(timer);
  timer = window.setTimeout(commit, UNDO_MS);
}

export function undo(): void {
  clearTimeout(timer);
  const undone = removal.value;
  removal.value = null;
  undone?.undo();
}

function commit(): void {
  clearTimeout(timer);
  const due = removal.value;
  removal.value = null;
  due?.commit();
}

window.addEventListener("pagehide", commit);
