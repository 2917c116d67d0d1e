import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Reply } from "../api/client";
import { Problem } from "../api/client";
import { CopyButton } from "../parts/CopyButton";
import { Icon } from "../parts/Icon";
import { RULES, titleOf } from "../store/sources";
import { whyOf } from "../store/why";
import type { Turn } from "../store/turn";
import { text } from "../text/en";
import type { OtherWays as OtherWaysSection } from "./OtherWays";
import {
  fetchWhy,
  type Asked,
  type Candidate,
  type Matched,
  type ModelCall,
  type Rule,
  type Step,
  type Why,
} from "./trace";

const otherWays = signal<typeof OtherWaysSection | null>(null);

const FIRST = 10;
const LEAST_LABEL = 0.08;

/** Why this answer, or why none: three sentences, and then the figures behind them. */
export function WhyDrawer() {
  const turn = whyOf.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const why = useSignal<Why | null>(null);
  const problem = useSignal("");
  useEffect(() => {
    why.value = null;
    problem.value = "";
    if (!turn?.reply) {
      if (dialog.current?.open) dialog.current.close();
      return;
    }
    if (!dialog.current?.open) dialog.current?.showModal();
    fetchWhy(turn.reply.trace_id)
      .then((found) => (why.value = found))
      .catch((error: unknown) => {
        const isGone = error instanceof Problem && error.status === 404;
        problem.value = isGone ? text.why.gone : text.why.unreachable;
      });
  }, [turn]);
  const reply = turn?.reply;
  return (
    <dialog ref={dialog} class="drawer" aria-labelledby="why-title" onClose={() => (whyOf.value = null)}>
      {reply && (
        <>
          <div class="drawer-head">
            <h2 id="why-title">{reply.no_answer ? text.why.none : text.why.title}</h2>
            {why.value && <CopyButton of={() => why.value?.raw ?? ""} label={text.why.copy} plain />}
            <button
              type="button"
              class="button plain square"
              aria-label={text.close}
              onClick={() => (whyOf.value = null)}
            >
              <Icon name="close" />
            </button>
          </div>
          {problem.value && <p role="alert">{problem.value}</p>}
          {why.value && <Told reply={reply} why={why.value} />}
          {turn.phase === "done" && <LaterWays key={turn.id} turn={turn} reply={reply} />}
        </>
      )}
    </dialog>
  );
}

/** The other ways to ask are fetched with the first drawer. */
function LaterWays({ turn, reply }: { turn: Turn; reply: Reply }) {
  useEffect(() => {
    if (!otherWays.value)
      import("./OtherWays").then((found) => (otherWays.value = found.OtherWays)).catch(() => undefined);
  }, []);
  const OtherWays = otherWays.value;
  return OtherWays ? <OtherWays turn={turn} reply={reply} /> : null;
}

function Told({ reply, why }: { reply: Reply; why: Why }) {
  const confidence = reply.confidence ?? 0;
  const asked = why.asked.length
    ? why.asked
    : [{ sources: [...(reply.routing ? [RULES] : [])], confidence, threshold: reply.threshold }];
  return (
    <>
      <p class="told">{inSentences(reply, why)}</p>
      {why.rules.length > 0 && <Rules rules={why.rules} />}
      {why.collections.length > 0 && <Collections collections={why.collections} />}
      {reply.confidence !== null && <SourceScale asked={asked} />}
      <Candidates candidates={why.candidates} refused={reply.no_answer} />
      <Calls calls={why.calls} />
      <Times steps={why.steps} total={reply.latency_ms} model={reply.model} />
    </>
  );
}

function inSentences(reply: Reply, why: Why): string {
  const first = why.candidates[0]?.reference ?? "";
  const confidence = reply.confidence ?? 0;
  if (reply.routing) return text.why.byRule(text.answer.rule(reply.routing));
  if (reply.no_answer) return text.why.refused(confidence, reply.threshold, first, reply.dropped);
  const kept = new Set(why.candidates.filter((one) => one.kept).map((one) => one.reference)).size;
  return text.why.answered(confidence, first, kept, reply.citations.length);
}

function Rules({ rules }: { rules: readonly Rule[] }) {
  return (
    <section>
      <h3>{text.why.rules}</h3>
      <table class="candidates">
        <tbody>
          {rules.map((one) => (
            <tr key={one.place} class={one.isTaken ? "" : "cut"}>
              <th scope="row">{text.why.ruleOf(one.place)}</th>
              <td>{one.isTaken ? text.why.matched : text.why.failed(one.failed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Collections({ collections }: { collections: readonly Matched[] }) {
  return (
    <section>
      <h3>{text.why.collections}</h3>
      <table class="candidates">
        <tbody>
          {collections.map((one) => (
            <tr key={one.name} class={one.result === "none" ? "cut" : ""}>
              <th scope="row">{one.name}</th>
              <td>{one.result}</td>
              <td>{one.distance === null ? "" : text.why.distance(one.distance, one.threshold)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function SourceScale({ asked }: { asked: readonly Asked[] }) {
  const threshold = asked[0]?.threshold ?? 0;
  const named = (one: Asked) =>
    one.sources.length === 0
      ? text.home.all
      : one.sources.map((name) => (name === "*" ? text.why.machine : titleOf(name))).join(", ");
  return (
    <section>
      <h3>{text.why.sources}</h3>
      <table class="scales">
        <caption class="hidden">{text.why.threshold(threshold)}</caption>
        <tbody>
          {asked.map((one) => (
            <tr key={one.sources.join()}>
              <th scope="row">{named(one)}</th>
              <td class="axis">
                <span class="scale wide" aria-hidden="true">
                  <span class="threshold" style={{ left: `${one.threshold * 100}%` }} />
                  <span
                    class={`dot${one.confidence >= one.threshold ? "" : " empty"}`}
                    style={{ left: `${one.confidence * 100}%` }}
                  />
                </span>
              </td>
              <td class="figure">{one.confidence.toFixed(2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="origin" aria-hidden="true">
        {text.why.threshold(threshold)}
      </p>
    </section>
  );
}

function Candidates({ candidates, refused }: { candidates: readonly Candidate[]; refused: boolean }) {
  const isAll = useSignal(false);
  if (!candidates.length) return null;
  const shown = isAll.value ? candidates : candidates.slice(0, FIRST);
  const hasWords = candidates.some((one) => one.words !== null);
  const { passage, words, meaning, score, verdict } = text.why.columns;
  return (
    <section>
      <h3>{text.why.candidates}</h3>
      <table class="candidates">
        <thead>
          <tr>
            <th scope="col">{passage}</th>
            {hasWords && <th scope="col">{words}</th>}
            <th scope="col">{meaning}</th>
            <th scope="col">{score}</th>
            <th scope="col">{verdict}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((one, at) => (
            <tr key={at} class={one.kept ? "" : "cut"}>
              <th scope="row">
                {one.reference} <span class="of">{one.section}</span>
              </th>
              {hasWords && <Bar share={one.words} label={words} />}
              <Bar share={one.meaning} label={meaning} />
              <td class="figure">{one.score.toFixed(2)}</td>
              <td>
                <span class={`tag${one.kept ? " ok" : ""}`}>{one.kept ? text.why.kept : text.why.cut}</span>{" "}
                {!one.kept && (refused ? text.why.below : text.why.behind)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {candidates.length > shown.length && (
        <button type="button" class="button plain small" onClick={() => (isAll.value = true)}>
          {text.why.more(candidates.length - shown.length)}
        </button>
      )}
    </section>
  );
}

function Bar({ share, label }: { share: number | null; label: string }) {
  if (share === null) return <td />;
  return (
    <td>
      <span
        class="meter"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={1}
        aria-valuenow={Number(share.toFixed(2))}
      >
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </td>
  );
}

/** What a model was sent and sent back, each to be opened. */
function Calls({ calls }: { calls: readonly ModelCall[] }) {
  if (!calls.length) return null;
  return (
    <section class="calls">
      <h3>{text.why.calls}</h3>
      {calls.map((call, at) => (
        <div key={at}>
          {call.sent.map((message, place) => (
            <details key={place}>
              <summary>{text.why.sent(message.role)}</summary>
              <pre tabIndex={0}>{message.text}</pre>
            </details>
          ))}
          <details>
            <summary>{text.why.came}</summary>
            <pre tabIndex={0}>{call.came}</pre>
          </details>
        </div>
      ))}
    </section>
  );
}

function Times({ steps, total, model }: { steps: readonly Step[]; total: number; model: string }) {
  const sum = steps.reduce((found, step) => found + step.ms, 0) || 1;
  return (
    <section>
      <h3>{text.why.time(text.answer.ms(total), model)}</h3>
      <ul class="times">
        {steps
          .filter((step) => step.ms >= 0.1)
          .map((step) => (
            <li
              key={step.name}
              style={{ flexGrow: step.ms / sum }}
              title={`${step.name} ${step.ms.toFixed(1)} ms`}
            >
              <span class={step.ms / sum < LEAST_LABEL ? "hidden" : ""}>
                {step.name} {Math.round(step.ms)}
              </span>
            </li>
          ))}
      </ul>
    </section>
  );
}
