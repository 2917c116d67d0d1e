/** The turn whose trace is shown. */
import { signal } from "@preact/signals";
import type { Turn } from "./turn";

export const whyOf = signal<Turn | null>(null);

export function toggleWhy(turn: Turn | undefined): void {
  whyOf.value = whyOf.value || !turn?.reply ? null : turn;
}
