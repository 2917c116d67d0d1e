/** The question that is being asked, and those before it. */
import { signal } from "@preact/signals";
import { OFFLINE, Problem, request, sending } from "../api/client";
import { eventsOf } from "../api/events";
import { check } from "../store/proof";
import { broken, EVERYTHING, newTurn, reduce, stopped, type Turn } from "../store/turn";

export const turns = signal<readonly Turn[]>([]);
export const isRunning = signal(false);

let abort: AbortController | null = null;
let made = 0;

export async function ask(question: string, sources: readonly string[]): Promise<void> {
  stop();
  const turn = newTurn(`turn-${++made}`, question, { ...EVERYTHING, sources });
  turns.value = [...turns.value, turn];
  isRunning.value = true;
  const control = (abort = new AbortController());
  const update = (change: (now: Turn) => Turn) => {
    turns.value = turns.value.map((now) => (now.id === turn.id ? change(now) : now));
    for (const { citations } of turns.value) check(citations);
  };
  try {
    const body = { query: question, stream: true, ...(sources.length ? { source: sources } : {}) };
    const response = await request("/ask", { ...sending("POST", body), signal: control.signal });
    for await (const event of eventsOf(response)) update((now) => reduce(now, event));
    update((now) => (now.phase === "done" ? now : broken(now, now.problem ?? lost())));
  } catch (error) {
    if (control.signal.aborted) update(stopped);
    else update((now) => broken(now, error instanceof Problem ? error : lost()));
  }
  if (abort === control) {
    abort = null;
    isRunning.value = false;
  }
}

export function stop(): void {
  abort?.abort();
  abort = null;
  isRunning.value = false;
}

function lost(): Problem {
  return new Problem(OFFLINE, "", "", 0);
}
