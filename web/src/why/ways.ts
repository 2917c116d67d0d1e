/** The other ways to ask a question: with a model or without, by rules or without, and by rules that are not in force. */
import { json, sending, type CheckedRules, type Reply } from "../api/client";
import { hasRules, model, models, RULES } from "../store/sources";
import { draft, isDirty } from "../store/rules";
import { me } from "../store/session";
import type { Turn } from "../store/turn";
import { words } from "../text/ways";

export interface Way {
  readonly name: string;
  readonly ask: (signal: AbortSignal) => Promise<Reply>;
}

/** A rule file cannot be asked: where it has its first fault, and what that is. */
export class FileFault extends Error {}

/** What fits the answer: nothing is asked again the way it was asked. */
export function waysOf(turn: Turn, reply: Reply): readonly Way[] {
  const question = reply.read_as || turn.question;
  const isByRules = turn.sources[0] === RULES;
  const ways: Way[] = [];
  const add = (name: string, path: string, body: object) =>
    ways.push({ name, ask: (signal) => askAt(path, body, signal) });
  const source = turn.selection
    ? { selection: turn.selection }
    : turn.sources.length && !isByRules
      ? { source: turn.sources }
      : {};
  if (isByRules) {
    if (reply.model) add(words.withoutModel, "/api/chat", { ...byRules(question), without_model: true });
    for (const name of models.value) {
      if (name === model.value && reply.model) continue;
      add(words.withNamed(name), "/api/chat", { ...byRules(question), model: name, require_model: true });
    }
    add(words.withoutRules, "/ask", { query: question });
  } else {
    if (reply.model) add(words.withoutModel, "/ask", { query: question, ...source, without_model: true });
    else if (me.value?.has_model)
      add(words.withModel, "/ask", { query: question, ...source, require_model: true });
    if (hasRules.value && !turn.selection) add(words.byRules, "/api/chat", byRules(question));
  }
  if (mayTryFiles(turn) && isDirty.value) ways.push(byFile(question, words.byDraft, () => draft.value));
  return ways;
}

/** Whether a rule file may be tried on a question. */
export function mayTryFiles(turn: Turn): boolean {
  return me.value?.role === "admin" && hasRules.value && !turn.selection;
}

/** Asking by the rules in a file that is not in force. */
export function byFile(question: string, name: string, text: () => string | Promise<string>): Way {
  return {
    name,
    ask: async (signal) => {
      const draft = await text();
      const checked = await json<CheckedRules>("/api/chat/rules/check", {
        ...sending("POST", { text: draft }),
        signal,
      });
      const [fault] = checked.faults;
      if (!checked.valid)
        throw new FileFault(words.fault(fault?.line ?? 0, fault?.message ?? "", fault?.suggestion ?? ""));
      return replyOf("/api/chat/rules/try", { message: question, text: draft, answer: true }, signal);
    },
  };
}

function byRules(message: string) {
  return { message, as_ask: true };
}

function askAt(path: string, body: object, signal: AbortSignal): Promise<Reply> {
  return path === "/ask"
    ? json<Reply>(path, { ...sending("POST", body), signal })
    : replyOf(path, body, signal);
}

async function replyOf(path: string, body: object, signal: AbortSignal): Promise<Reply> {
  return (await json<{ reply: Reply }>(path, { ...sending("POST", body), signal })).reply;
}

/** The sentences and commands of an answer: first the line to type, if there is one. */
export function saidIn(reply: Reply): readonly Said[] {
  const line = reply.steps.find((one) => one.command && !one.text);
  const others = [...reply.summary, ...reply.steps].filter((one) => one !== line);
  return [...(line ? [line] : []), ...others].map((one) => ({
    command: one.command,
    text: one.text,
    citations: one.citations,
    key: `${one.command}\n${one.text}`.replace(/\s+/g, " ").trim(),
  }));
}

export interface Said {
  readonly command: string;
  readonly text: string;
  readonly citations: readonly number[];
  /** What two answers have in common, if they both say it. */
  readonly key: string;
}
