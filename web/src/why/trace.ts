/** What the trace of an answer says, as the drawer shows it. Steps that are not there are left out, never made up. */
import { json } from "../api/client";

export interface Asked {
  readonly sources: readonly string[];
  readonly confidence: number;
  readonly threshold: number;
}

export interface Candidate {
  readonly reference: string;
  readonly section: string;
  /** Shares in 0-1; null where they were not measured. */
  readonly words: number | null;
  readonly meaning: number | null;
  readonly score: number;
  readonly kept: boolean;
}

/** A collection that rules asked. */
export interface Matched {
  readonly name: string;
  readonly result: string;
  readonly distance: number | null;
  readonly threshold: number | null;
}

/** A rule that was tried, and the first of its keys that failed. */
export interface Rule {
  readonly place: number;
  readonly isTaken: boolean;
  readonly failed: string;
}

/** What a model was sent and sent back; told to administrators. */
export interface ModelCall {
  readonly sent: readonly { readonly role: string; readonly text: string }[];
  readonly came: string;
}

export interface Step {
  readonly name: string;
  readonly ms: number;
}

export interface Why {
  readonly asked: readonly Asked[];
  readonly candidates: readonly Candidate[];
  readonly collections: readonly Matched[];
  readonly rules: readonly Rule[];
  /** Why each sentence that is not in the answer was left out. What it said is told to nobody. */
  readonly leftOut: readonly string[];
  readonly calls: readonly ModelCall[];
  readonly steps: readonly Step[];
  readonly raw: string;
}

/** What is said of a sentence that is in the answer. */
const HELD = new Set(["supported", "quoted"]);

type Fields = Record<string, unknown>;

export async function fetchWhy(id: string): Promise<Why> {
  return read(
    await json<{ steps: Fields[]; calls?: readonly ModelCall[] | null }>(`/traces/${encodeURIComponent(id)}`),
  );
}

export function read(trace: { steps: Fields[]; calls?: readonly ModelCall[] | null }): Why {
  const steps = new Map(trace.steps.map((step) => [String(step.name), step]));
  const decided = steps.get("decide") ?? {};
  const chosen = new Set(list(decided.chosen).map(String));
  return {
    asked: list(steps.get("choose")?.asked).map((one) => {
      const asked = one as Fields;
      return {
        sources: list(asked.sources).map(String),
        confidence: number(asked.confidence) ?? 0,
        threshold: number(asked.threshold) ?? 0,
      };
    }),
    candidates: [
      ...list(steps.get("evaluate")?.candidates).map((one) => page(one as Fields, chosen)),
      ...list(steps.get("retrieve")?.passages).map((one) => passage(one as Fields, chosen)),
    ],
    collections: list(steps.get("retrieve")?.asked).map((one) => {
      const asked = one as Fields;
      return {
        name: String(asked.identifier),
        result: String(asked.result),
        distance: number(asked.distance),
        threshold: number(asked.match_threshold),
      };
    }),
    rules: list(steps.get("match")?.tried).map((one) => {
      const tried = one as Fields;
      return {
        place: number(tried.rule) ?? 0,
        isTaken: tried.passed === true,
        failed: typeof tried.failed === "string" ? tried.failed : "",
      };
    }),
    leftOut: trace.steps
      .flatMap((step) => [
        ...list(step.verdicts).map(String),
        ...(typeof step.refused === "string" ? [step.refused] : []),
      ])
      .filter((verdict) => !HELD.has(verdict)),
    calls: trace.calls ?? [],
    steps: trace.steps
      .map((step) => ({ name: String(step.name), ms: number(step.duration_ms) ?? 0 }))
      .filter((step) => step.name !== "choose"),
    raw: JSON.stringify(trace, null, 2),
  };
}

function page(one: Fields, chosen: ReadonlySet<string>): Candidate {
  const features = (one.features ?? {}) as Fields;
  const reference = String(one.reference);
  return {
    reference,
    section: "",
    words: share(features.page_share) ?? 0,
    meaning: share(features.need_share) ?? share(features.line_share) ?? 0,
    score: number(one.score) ?? 0,
    kept: chosen.has(reference),
  };
}

function passage(one: Fields, chosen: ReadonlySet<string>): Candidate {
  const id = String(one.chunk_id);
  const reference = String(one.reference);
  return {
    reference,
    section: typeof one.section === "string" ? one.section : "",
    words: null,
    meaning: share(one.cosine),
    score: number(one.score) ?? 0,
    kept: chosen.has(id) || chosen.has(reference),
  };
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function share(value: unknown): number | null {
  const found = number(value);
  return found === null ? null : Math.min(1, Math.max(0, found));
}
