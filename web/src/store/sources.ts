/** What can be asked, and which of it is; the choice is remembered on this device. */
import { computed, signal } from "@preact/signals";
import { json, Problem, sources as fetchSources, type Source } from "../api/client";
import { text } from "../text/en";
import { newest } from "./newest";
import { RULES } from "./turn";

const KEPT = "vademecum.sources";

export { RULES };

/** Whether questions can be put to rules. */
export const hasRules = signal(false);

/** The models that a person may choose for rules that offer them, and the one that was chosen; "" for the rule's own. */
export const models = signal<readonly string[]>([]);
export const model = signal("");

export const sources = signal<readonly Source[] | null>(null);
export const sourcesProblem = signal<Problem | null>(null);
const loads = newest();
const wanted = signal<readonly string[]>(kept());

/** The names that are asked: none for all. */
export const chosenSources = computed(() => {
  const known = new Set((sources.value ?? []).filter((one) => !one.problem).map((one) => one.name));
  if (wanted.value[0] === RULES) return hasRules.value ? [RULES] : [];
  const chosen = wanted.value.filter((name) => !sources.value || known.has(name));
  return chosen.length < known.size || !sources.value ? chosen : [];
});

export async function loadSources(): Promise<void> {
  const isNewest = loads();
  try {
    const found = await fetchSources();
    if (!isNewest()) return;
    sources.value = found;
    sourcesProblem.value = null;
  } catch (error) {
    if (!isNewest()) return;
    sourcesProblem.value = error instanceof Problem ? error : new Problem("UNREADABLE", String(error), "", 0);
  }
}

/** What people read as the name of a source. */
export function titleOf(name: string): string {
  if (name === RULES) return text.home.rules;
  return sources.value?.find((one) => one.name === name)?.title ?? name;
}

/** Look whether there are rules, and which models may be chosen for them. */
export async function loadRules(isThere: boolean): Promise<void> {
  hasRules.value = isThere;
  if (!isThere) return;
  try {
    models.value = (await json<{ models: { model: string }[] }>("/api/chat/models")).models.map(
      (one) => one.model,
    );
  } catch {
    models.value = []; // the rules' own models answer
  }
}

/** Take a source in or out; "" means all of them, and the rules are asked alone. */
export function toggle(name: string): void {
  const chosen = chosenSources.value.filter((one) => one !== RULES);
  wanted.value = !name
    ? []
    : name === RULES
      ? [RULES]
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
