/** The rules of the chat: the file, a draft of it, and what is wrong with that. The file stays the truth. */
import { computed, signal } from "@preact/signals";
import { json, Problem, request, sending, type CheckedRules, type Rules } from "../api/client";
import { newest } from "./newest";

const PATH = "/api/chat/rules";
const WAIT_MS = 300;

/** What the server has. */
export const rules = signal<Rules | null>(null);
export const rulesProblem = signal<unknown>(null);

/** The text that is worked on, and the text that it was made from. */
export const draft = signal("");
export const before = signal("");

/** What the server found in the draft; null while it looks. */
export const checked = signal<CheckedRules | null>(null);

/** The text that somebody else has put into the file since the draft was begun. */
export const theirs = signal<string | null>(null);

export const isDirty = computed(() => draft.value !== before.value);

let timer = 0;
const looks = newest();
const loads = newest();

/** Fetch the rules. A draft is kept; without one, the file is shown as it is now. */
export async function loadRules(): Promise<void> {
  const isNewest = loads();
  try {
    const found = await json<Rules>(PATH);
    if (!isNewest()) return;
    const isFirst = rules.value === null;
    rules.value = found;
    rulesProblem.value = null;
    if (isFirst || !isDirty.value) take(found);
    else theirs.value = found.text === before.value ? null : found.text;
  } catch (error) {
    rulesProblem.value = error;
  }
}

/** Begin again from the file. */
export function take(found: Rules): void {
  before.value = found.text;
  draft.value = found.text;
  checked.value = found;
  theirs.value = null;
}

/** Go on with the draft, knowing what is in the file now. */
export function keepDraft(): void {
  if (theirs.value !== null) before.value = theirs.value;
  theirs.value = null;
}

/** Change the draft, and have it checked when nobody types for a moment. */
export function write(text: string): void {
  draft.value = text;
  checked.value = null;
  clearTimeout(timer);
  timer = window.setTimeout(() => void check(), WAIT_MS);
}

async function check(): Promise<void> {
  const isNewest = looks();
  try {
    const found = await json<CheckedRules>(`${PATH}/check`, sending("POST", { text: draft.value }));
    if (!isNewest()) return;
    checked.value = found;
    rulesProblem.value = null;
  } catch (error) {
    if (isNewest()) rulesProblem.value = error;
  }
}

/** Put the draft in force; whether it is. */
export async function saveRules(): Promise<boolean> {
  const text = draft.value;
  loads(); // what is on its way is older
  try {
    await request(PATH, sending("PUT", { text, before: before.value }));
    rulesProblem.value = null;
    // what was typed meanwhile is a draft of what was saved
    before.value = text;
    await loadRules();
    return true;
  } catch (error) {
    rulesProblem.value = error;
    // somebody was faster, or a fault was found: look what the file has now
    if (error instanceof Problem && error.code === "RULES_CHANGED") {
      await loadRules();
      rulesProblem.value = null;
    } else if (error instanceof Problem && error.status === 422) await check();
    return false;
  }
}

export interface DryRun {
  readonly routing: {
    readonly rule: number;
    readonly rag_result: string;
    readonly collection: string | null;
    readonly distance: number | null;
    readonly intent: string | null;
    readonly read_as: string | null;
  };
  readonly warnings: readonly string[];
  readonly trace: { readonly steps: readonly Readonly<Record<string, unknown>>[] };
  readonly static: string | null;
  readonly prompt: string;
  readonly llm: string;
  readonly model: string;
  readonly collections: readonly string[];
  /** Whether the draft was run; the file in force otherwise. */
  readonly draft: boolean;
}

/** Send a message through the draft, or through the rules in force where there is none. */
export function tryMessage(message: string): Promise<DryRun> {
  return json<DryRun>(`${PATH}/try`, sending("POST", { message, ...drafted() }));
}

export interface Probed {
  readonly outcomes: readonly {
    readonly line: number;
    readonly question: string;
    readonly rule: number | null;
    readonly wrong: readonly string[];
  }[];
  readonly failed: number;
  readonly left: number;
  readonly draft: boolean;
}

export function runProbes(probes: string): Promise<Probed> {
  return json<Probed>(`${PATH}/probes`, sending("POST", { probes, ...drafted() }));
}

/** Keep probes beside the file.
 * @throws {Problem} They were refused, or somebody has changed them.
 */
export async function saveProbes(text: string): Promise<void> {
  try {
    await request(`${PATH}/probes`, sending("PUT", { text, before: rules.value?.probes ?? "" }));
  } finally {
    await loadRules();
  }
}

/** A list of probes with one more. JSON strings are YAML strings, too. */
export function withProbe(probes: string, question: string, rule: number): string {
  const listed = probes.trimEnd();
  return `${listed}${listed ? "\n" : ""}- question: ${JSON.stringify(question)}\n  expect: {rule: ${rule}}\n`;
}

function drafted(): { text?: string } {
  return isDirty.value ? { text: draft.value } : {};
}
