/** What can be asked, and which of it is; the choice is remembered on this device. */
import { computed, signal } from "@preact/signals";
import { Problem, sources as fetchSources, type Source } from "../api/client";

const KEPT = "vademecum.sources";

export const sources = signal<readonly Source[] | null>(null);
export const sourcesProblem = signal<Problem | null>(null);
const wanted = signal<readonly string[]>(kept());

/** The names that are asked: none for all. */
export const chosenSources = computed(() => {
  const known = new Set((sources.value ?? []).filter((one) => !one.problem).map((one) => one.name));
  const chosen = wanted.value.filter((name) => !sources.value || known.has(name));
  return chosen.length < known.size || !sources.value ? chosen : [];
});

export async function loadSources(): Promise<void> {
  try {
    sources.value = await fetchSources();
    sourcesProblem.value = null;
  } catch (error) {
    sourcesProblem.value = error instanceof Problem ? error : new Problem("UNREADABLE", String(error), "", 0);
  }
}

/** Take a source in or out; "" means all of them. */
export function toggle(name: string): void {
  const chosen = chosenSources.value;
  wanted.value = !name
    ? []
    : chosen.includes(name)
      ? chosen.filter((one) => one !== name)
      : [...chosen, name];
  try {
    localStorage.setItem(KEPT, JSON.stringify(wanted.value));
  } catch {
    // a browser that keeps nothing asks all sources next time
  }
}

function kept(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}
