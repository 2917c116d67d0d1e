import "../styles/ways.css";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { inWords, type Reply } from "../api/client";
import type { Turn } from "../store/turn";
import { text } from "../text/en";
import { words } from "../text/ways";
import { byFile, FileFault, mayTryFiles, saidIn, waysOf, type Said, type Way } from "./ways";

interface Other {
  readonly name: string;
  /** Null while it is asked. */
  readonly reply: Reply | null;
  readonly problem: string;
}

/** The same question asked another way, and both answers side by side. */
export function OtherWays({ turn, reply }: { turn: Turn; reply: Reply }) {
  const other = useSignal<Other | null>(null);
  const control = useRef<AbortController | null>(null);
  useEffect(() => () => control.current?.abort(), []);
  const start = async (way: Way) => {
    control.current?.abort();
    const { signal } = (control.current = new AbortController());
    other.value = { name: way.name, reply: null, problem: "" };
    try {
      const found = await way.ask(signal);
      if (!signal.aborted) other.value = { name: way.name, reply: found, problem: "" };
    } catch (error) {
      if (signal.aborted) return;
      const problem = error instanceof FileFault ? error.message : inWords(error, text.why.unreachable);
      other.value = { name: way.name, reply: null, problem };
    }
  };
  const stop = () => {
    control.current?.abort();
    other.value = null;
  };
  const ways = waysOf(turn, reply);
  const hasFiles = mayTryFiles(turn);
  if (!ways.length && !hasFiles) return null;
  const found = other.value;
  return (
    <section class="ways" aria-labelledby="ways-title">
      <h3 id="ways-title">{words.title}</h3>
      <p class="origin">{words.lede}</p>
      <div class="ways-buttons">
        {ways.map((way) => (
          <button
            key={way.name}
            type="button"
            class="button small"
            aria-pressed={found?.name === way.name}
            onClick={() => void start(way)}
          >
            {way.name}
          </button>
        ))}
        {hasFiles && <RuleFile turn={turn} reply={reply} start={start} />}
      </div>
      <div aria-live="polite">
        {found?.problem && <p class="warn">{found.problem}</p>}
        {found && !found.reply && !found.problem && (
          <p>
            {words.asking}{" "}
            <button type="button" class="button plain small" onClick={stop}>
              {words.stop}
            </button>
          </p>
        )}
        {found?.reply && <Sides mine={reply} name={found.name} other={found.reply} />}
      </div>
    </section>
  );
}

/** A rule file of this device, which is asked and goes nowhere else. */
function RuleFile({ turn, reply, start }: { turn: Turn; reply: Reply; start: (way: Way) => Promise<void> }) {
  const input = useRef<HTMLInputElement>(null);
  const question = reply.read_as || turn.question;
  return (
    <>
      <button type="button" class="button small" onClick={() => input.current?.click()}>
        {words.byFile}
      </button>
      <input
        ref={input}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-hidden="true"
        accept=".yaml,.yml,.json"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // the same file can be chosen again, after it was changed
          event.currentTarget.value = "";
          if (!file) return;
          const read = () =>
            file.text().catch(() => {
              throw new FileFault(words.unreadable);
            });
          void start(byFile(question, file.name, read));
        }}
      />
    </>
  );
}

function Sides({ mine, name, other }: { mine: Reply; name: string; other: Reply }) {
  const here = saidIn(mine);
  const there = saidIn(other);
  const isOnly = (all: readonly Said[]) => {
    const keys = new Set(all.map((one) => one.key));
    return (one: Said) => !keys.has(one.key);
  };
  const onlyHere = isOnly(there);
  const onlyThere = isOnly(here);
  const counts = [here.filter(onlyHere).length, there.filter(onlyThere).length] as const;
  return (
    <>
      {!mine.no_answer && !other.no_answer && (
        <p class="origin">{counts[0] + counts[1] ? words.differ(...counts) : words.same}</p>
      )}
      <div class="both-answers">
        <Side title={words.this} reply={mine} said={here} isOnly={onlyHere} />
        <Side title={name} reply={other} said={there} isOnly={onlyThere} />
      </div>
    </>
  );
}

interface SideProps {
  readonly title: string;
  readonly reply: Reply;
  readonly said: readonly Said[];
  /** Whether the other answer does not say it. */
  readonly isOnly: (said: Said) => boolean;
}

function Side({ title, reply, said, isOnly }: SideProps) {
  return (
    <article class="way-answer" aria-label={title}>
      <h4>{title}</h4>
      <p class="origin">{about(reply)}</p>
      {reply.no_answer && <p>{words.refused}</p>}
      {!reply.no_answer &&
        said.map((one, at) => (
          <p key={at} class={isOnly(one) ? "only" : ""}>
            {isOnly(one) && <span class="hidden">{words.onlyHere}</span>}
            {one.command && <code>{one.command}</code>} {one.text}{" "}
            <span class="of">{referencesOf(reply, one).join(", ")}</span>
          </p>
        ))}
      {!reply.no_answer && reply.grounded === false && (
        <p class="warn">{text.answer.ungrounded(reply.model)}</p>
      )}
      {[...new Set([...reply.reasons, ...reply.warnings])].map((reason) => (
        <p key={reason} class="warn">
          {reason}
        </p>
      ))}
    </article>
  );
}

function about(reply: Reply): string {
  const rule = reply.routing ? [text.answer.rule(reply.routing)] : [];
  const share = reply.confidence === null ? [] : [words.share(reply.confidence)];
  return [...rule, ...share, words.took(reply.latency_ms), reply.model || words.noModel].join(" · ");
}

function referencesOf(reply: Reply, said: Said): readonly string[] {
  return [...new Set(said.citations.map((at) => reply.citations[at]?.document_ref ?? ""))].filter(Boolean);
}
