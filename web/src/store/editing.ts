/** A question that is being changed: its answer is replaced when it is asked again. */
import { signal } from "@preact/signals";
import { draft } from "./asking";

export const editing = signal<string | null>(null);

export function edit(turn: { id: string; question: string }): void {
  editing.value = turn.id;
  draft.value = turn.question;
  const box = document.getElementById("question");
  if (box instanceof HTMLTextAreaElement) {
    box.focus();
    box.setSelectionRange(turn.question.length, turn.question.length);
  }
}
