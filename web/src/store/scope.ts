/** What a question is put to now: the chosen sources; or what is being read, and of that the selection alone. */
import type { Selection } from "../api/client";
import { selection } from "./book";
import { view } from "./current";
import { chosenSources } from "./sources";
import type { Scope } from "./turn";

export function scopeNow(): Scope {
  const now = view.value;
  if (now.kind !== "book") return { sources: chosenSources.value, selection: null, readIn: "" };
  return { sources: [now.source], selection: selected(), readIn: now.source };
}

/** The selection with its place; null where nothing is selected. */
export function selected(): Selection | null {
  const now = view.value;
  if (now.kind !== "book" || !selection.value) return null;
  return { source: now.source, document: now.document, ...selection.value };
}
