import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { inWords } from "../api/client";
import { checked, isDirty, rules, tryMessage, type DryRun } from "../store/rules";
import { words } from "../text/rules";
import { text } from "../text/en";

const said = words.run;
type Fields = Readonly<Record<string, unknown>>;

interface Props {
  readonly message: Signal<string>;
  readonly run: Signal<DryRun | null>;
  readonly isFaulty: boolean;
}

/** A message, and what becomes of it in each phase. */
export function DryRunPanel({ message, run, isFaulty }: Props) {
  const problem = useSignal("");
  const start = async () => {
    try {
      run.value = await tryMessage(message.value.trim());
      problem.value = "";
    } catch (error) {
      run.value = null;
      problem.value = inWords(error, text.answer.notReached);
    }
  };
  return (
    <section aria-labelledby="run-title">
      <h2 id="run-title">{said.title}</h2>
      <p class="quiet">{isFaulty ? said.inForce : isDirty.value ? said.ofDraft : said.lede}</p>
      <form
        class="run-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (message.value.trim()) void start();
        }}
      >
        <input
          aria-label={said.label}
          placeholder={said.label}
          value={message.value}
          maxLength={8000}
          onInput={(event) => {
            message.value = event.currentTarget.value;
            run.value = null;
          }}
        />
        <button type="submit" class="button">
          {said.button}
        </button>
      </form>
      {problem.value && (
        <p class="note bad" role="alert">
          {problem.value}
        </p>
      )}
      <div aria-live="polite">{run.value && <Phases run={run.value} />}</div>
    </section>
  );
}

function Phases({ run }: { run: DryRun }) {
  const steps = new Map(run.trace.steps.map((step) => [String(step.name), step]));
  const step = (name: string): Fields => steps.get(name) ?? {};
  const asked = list(step("retrieve").asked);
  const best = step("evaluate").identifier;
  const { intent, rule, rag_result: result, read_as: readAs } = run.routing;
  return (
    <ol class="phases">
      <Phase title={said.collected} ms={step("retrieve").duration_ms} isIdle={!asked.length}>
        {readAs && <p>{said.readAs(readAs)}</p>}
        {asked.length === 0 && <p>{said.nothingAsked}</p>}
        {asked.slice(0, 6).map((collection) => (
          <p key={String(collection.identifier)}>
            {said.result(
              String(collection.identifier),
              String(collection.result),
              typeof collection.distance === "number" ? collection.distance : null,
            )}
          </p>
        ))}
        {run.warnings.map((warning) => (
          <p key={warning} class="quiet">
            {warning}
          </p>
        ))}
      </Phase>
      <Phase title={said.evaluated} ms={step("evaluate").duration_ms}>
        <p>{typeof best === "string" ? said.best(best, result) : said.none}</p>
      </Phase>
      <Phase title={said.intent} ms={step("intent").duration_ms} isIdle={!intent}>
        <p>{intent ? said.intentIs(intent) : said.noIntent}</p>
      </Phase>
      <Phase title={`${said.rule} ${rule}`} ms={step("match").duration_ms}>
        <ul>
          {list(step("match").tried).map((tried) => (
            <li key={String(tried.rule)}>
              <span class="tried">{String(tried.rule)}</span>{" "}
              {tried.passed === true ? said.fits : said.fails(String(tried.failed))}
            </li>
          ))}
        </ul>
      </Phase>
      <Phase title={said.prompt}>
        <Answering run={run} />
      </Phase>
    </ol>
  );
}

/** What would be said, or what a model would be sent. */
function Answering({ run }: { run: DryRun }) {
  const rows = (run.draft ? checked.value?.rules : rules.value?.active) ?? [];
  if (run.static !== null) {
    return (
      <>
        <p>{said.fixed}</p>
        <pre tabIndex={0}>{run.static}</pre>
      </>
    );
  }
  if (rows[run.routing.rule]?.then === "extractive") return <p>{said.quotes}</p>;
  return (
    <>
      <p>{said.sends([run.llm, run.model].filter(Boolean).join(": "))}</p>
      <pre tabIndex={0}>{run.prompt}</pre>
    </>
  );
}

interface PhaseProps {
  readonly title: string;
  readonly ms?: unknown;
  readonly isIdle?: boolean;
  readonly children: ComponentChildren;
}

function Phase({ title, ms, isIdle = false, children }: PhaseProps) {
  return (
    <li class={isIdle ? "idle" : ""}>
      <p class="phase-title">
        <b>{title}</b>
        {typeof ms === "number" && <span class="quiet">{said.ms(ms)}</span>}
      </p>
      {children}
    </li>
  );
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}
