/** The conversation: its turns, the one on its way, and what asks, stops and tries again. */
import { computed, effect, signal } from "@preact/signals";
import { OFFLINE, Problem, request } from "../api/client";
import { eventsOf } from "../api/events";
import { conversation } from "./current";
import { check } from "./proof";
import { scopeNow } from "./scope";
import { model, RULES } from "./sources";
import { broken, newTurn, reduce, stopped, type Scope, type Turn } from "./turn";

/** What is read of a question. */
export const LONGEST_QUESTION = 8_000;

export const turns = signal<readonly Turn[]>([]);
export const draft = signal("");

/** The turn that was asked last, by its id. */
export const lastTurn = computed(() => turns.value.at(-1)?.id);
export const running = computed(() =>
  turns.value.find((turn) => turn.phase === "searching" || turn.phase === "answering"),
);

let abort: AbortController | null = null;
let made = 0;

/** Citations that have been given to be checked, by turn. */
const given = new WeakSet<Turn["citations"]>();

effect(() => {
  for (const { citations } of turns.value) {
    if (given.has(citations)) continue;
    given.add(citations);
    check(citations);
  }
});

export function startAfresh(): void {
  stop();
  turns.value = [];
  conversation.value = null;
}

/** Show a conversation as it was kept. */
export function restore(id: string, kept: readonly Turn[]): void {
  stop();
  turns.value = kept;
  conversation.value = id;
}

/** Called after an answer has been kept on the server. */
export const onKept: (() => void)[] = [];

/** Ask a question; the answer replaces that of the turn `instead`, if one is named. */
export async function ask(question: string, instead?: string, scope: Scope = scopeNow()): Promise<void> {
  const text = question.trim();
  if (!text || text.length > LONGEST_QUESTION) return;
  stop();
  const replaced = turns.value.find((one) => one.id === instead);
  const turn = newTurn(`turn-${++made}`, text, scope);
  const isByRules = scope.sources[0] === RULES;
  const kept = turns.value.filter((one) => one.id !== instead);
  turns.value = [...kept, turn];
  const control = (abort = new AbortController());
  try {
    const response = await request(isByRules ? "/api/chat" : "/ask", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(isByRules ? toRules(text) : toSources(text, scope, replaced?.number)),
      signal: control.signal,
    });
    for await (const event of eventsOf(response)) update(turn.id, (one) => reduce(one, event));
    const kept = turns.value.find((one) => one.id === turn.id)?.reply?.conversation;
    if (kept) {
      conversation.value = kept;
      for (const call of onKept) call();
    }
    // a stream that ends without its last event was cut off
    update(turn.id, (one) =>
      one.phase === "done" ? one : broken(one, one.problem ?? new Problem(OFFLINE, "", "", 0)),
    );
  } catch (error) {
    if (control.signal.aborted) return;
    const problem = error instanceof Problem ? error : new Problem(OFFLINE, "", "", 0);
    update(turn.id, (one) => broken(one, problem));
  } finally {
    if (abort === control) abort = null;
  }
}

function toRules(message: string) {
  return {
    message,
    stream: true,
    as_ask: true,
    session: conversation.value ?? "new",
    ...(model.value ? { model: model.value } : {}),
  };
}

function toSources(query: string, { selection, sources }: Scope, instead = 0) {
  return {
    query,
    stream: true,
    conversation: conversation.value ?? "new",
    ...(selection ? { selection } : sources.length ? { source: sources } : {}),
    ...(instead ? { instead } : {}),
  };
}

/** Stop the answer on its way; what came stays. */
export function stop(): void {
  const turn = running.value;
  abort?.abort();
  abort = null;
  if (turn) update(turn.id, stopped);
}

function update(id: string, change: (turn: Turn) => Turn): void {
  turns.value = turns.value.map((turn) => (turn.id === id ? change(turn) : turn));
}
