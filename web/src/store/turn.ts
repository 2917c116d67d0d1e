/** A question and what came of it: the events of the server, reduced to what the screen shows. */
import {
  problemFrom,
  type Citation,
  type Problem,
  type Reply,
  type Selection,
  type Statement,
} from "../api/client";
import type { ServerEvent } from "../api/events";

/** The name by which the rules of the chat configuration are chosen; no source can have it. */
export const RULES = "chat";

export type Phase = "searching" | "answering" | "done" | "broken" | "stopped";

export interface Part extends Statement {
  readonly kind: "summary" | "steps";
}

/** What a question is put to. */
export interface Scope {
  /** The names of the sources that are asked; none for all. */
  readonly sources: readonly string[];
  /** The stretch of a document that is asked alone. */
  readonly selection: Selection | null;
  /** The source that was being read when it was asked; "" where nothing was. */
  readonly readIn: string;
}

export const EVERYTHING: Scope = { sources: [], selection: null, readIn: "" };

export interface Turn extends Scope {
  readonly id: string;
  readonly question: string;
  readonly phase: Phase;
  readonly parts: readonly Part[];
  readonly citations: readonly Citation[];
  readonly reply: Reply | null;
  readonly problem: Problem | null;
  /** Its number in the conversation that is kept on the server; 0 where it is not kept. */
  readonly number: number;
  /** When it was answered, if that was in another visit; else "". */
  readonly at: string;
}

export function newTurn(id: string, question: string, scope: Scope): Turn {
  return {
    id,
    question,
    sources: [...scope.sources],
    selection: scope.selection,
    readIn: scope.readIn,
    phase: "searching",
    parts: [],
    citations: [],
    reply: null,
    problem: null,
    number: 0,
    at: "",
  };
}

export interface Kept {
  readonly number: number;
  readonly at: string;
  readonly response: string;
}

/** A turn as the server kept it. One of the chat desk has no reply, only words. */
export function restoredTurn(id: string, question: string, reply: Reply | undefined, kept: Kept): Turn {
  const selection = reply?.selection ?? null;
  const scope = reply?.routing
    ? { ...EVERYTHING, sources: [RULES] }
    : selection
      ? { sources: [selection.source], selection, readIn: selection.source }
      : EVERYTHING;
  const turn = { ...newTurn(id, question, scope), number: kept.number, at: kept.at };
  if (reply) return { ...withReply(turn, reply), number: kept.number };
  const words: Part = { kind: "summary", text: kept.response, command: "", citations: [], origin: "" };
  return { ...turn, phase: "done", parts: [words] };
}

/** The turn after an event. Events that are not known change nothing. */
export function reduce(turn: Turn, event: ServerEvent): Turn {
  if (turn.phase === "done" || turn.phase === "broken" || turn.phase === "stopped") return turn;
  switch (event.name) {
    case "token":
      return withPart(turn, event.data);
    case "citation":
      return isCitation(event.data) ? withCitation(turn, event.data) : turn;
    case "final":
      return withReply(turn, replyOf(event.data));
    case "error":
      return broken(turn, problemFrom(event.data));
    default:
      return turn;
  }
}

export function broken(turn: Turn, problem: Problem): Turn {
  return { ...turn, phase: "broken", problem };
}

export function stopped(turn: Turn): Turn {
  return { ...turn, phase: "stopped" };
}

function withPart(turn: Turn, data: unknown): Turn {
  const said = data as Partial<{
    text: string;
    part: Part["kind"];
    sentence: string;
    command: string;
    citations: number[];
    origin: string;
  }>;
  if (said.sentence === undefined) return typeof said.text === "string" ? withPiece(turn, said.text) : turn;
  // the fixed sentence of a refusal rests on nothing; it comes with the reply
  if (!said.citations?.length) return turn;
  const part: Part = {
    kind: said.part === "steps" ? "steps" : "summary",
    text: said.sentence ?? "",
    command: said.command ?? "",
    citations: said.citations,
    origin: said.origin ?? "",
  };
  return { ...turn, phase: "answering", parts: [...turn.parts, part] };
}

/** The turn with some more words of an answer by rules: what they rest on comes behind them. */
function withPiece(turn: Turn, piece: string): Turn {
  const last = turn.parts.at(-1);
  const words = piece.replace(/\s*(?:\[\d+\])+\s*$/, "");
  const isNew = !last || last.citations.length > 0;
  const part: Part = {
    kind: "summary",
    text: isNew ? words.trimStart() : last.text + words,
    command: "",
    citations: [],
    origin: "",
  };
  return { ...turn, phase: "answering", parts: [...(isNew ? turn.parts : turn.parts.slice(0, -1)), part] };
}

/** The turn with a citation; of an answer by rules it belongs to the words that came last. */
function withCitation(turn: Turn, citation: Citation): Turn {
  const at = turn.citations.length;
  const citations = [...turn.citations, citation];
  const last = turn.parts.at(-1);
  if (!last || turn.parts.some((part) => part.citations.includes(at))) return { ...turn, citations };
  const part = { ...last, citations: [...last.citations, at] };
  return { ...turn, citations, parts: [...turn.parts.slice(0, -1), part] };
}

/** The reply in the last event; of an answer by rules it is told in the form of any other. */
function replyOf(data: unknown): Reply {
  const said = data as Reply & { reply?: Reply; session?: string };
  return said.reply ? { ...said.reply, conversation: said.session ?? null, turn: 0 } : said;
}

/** The reply says last, and whole, what came before. */
function withReply(turn: Turn, reply: Reply): Turn {
  const parts = [
    ...reply.summary.map((one) => ({ ...one, kind: "summary" as const })),
    ...reply.steps.map((one) => ({ ...one, kind: "steps" as const })),
  ];
  return { ...turn, phase: "done", parts, citations: reply.citations, reply, number: reply.turn };
}

function isCitation(data: unknown): data is Citation {
  const said = data as Partial<Citation> | null;
  return (
    typeof said?.quote === "string" &&
    typeof said.document === "string" &&
    typeof said.start === "number" &&
    typeof said.end === "number"
  );
}
