import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { words } from "../text/widget";
import { Answer } from "./Answer";
import { ask, isRunning, stop, turns } from "./turns";

const LONGEST_QUESTION = 8000;

interface Props {
  /** The names of the sources that are asked; none for all that the key may ask. */
  readonly sources: readonly string[];
  /** What the button says; "" for the usual words. */
  readonly title: string;
}

/** A button at the corner of a site, and the panel that it opens. */
export function Widget({ sources, title }: Props) {
  const isOpen = useSignal(false);
  const question = useSignal("");
  const field = useRef<HTMLTextAreaElement>(null);
  const launcher = useRef<HTMLButtonElement>(null);
  const log = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen.value) field.current?.focus();
  }, [isOpen.value]);
  const last = turns.value.at(-1)?.id;
  useEffect(() => {
    const article = last ? log.current?.querySelector(`#${last}`) : null;
    article?.scrollIntoView({ block: "start" });
  }, [last]);
  const send = (text: string) => {
    if (!text.trim()) return;
    question.value = "";
    void ask(text.trim(), sources);
  };
  const close = () => {
    isOpen.value = false;
    requestAnimationFrame(() => launcher.current?.focus());
  };
  const name = title || words.title;
  if (!isOpen.value) {
    return (
      <button ref={launcher} type="button" class="launcher" onClick={() => (isOpen.value = true)}>
        {name}
      </button>
    );
  }
  const usesModel = turns.value.some((turn) => turn.reply?.model);
  return (
    <section
      class="panel"
      aria-label={name}
      onKeyDown={(event) => {
        event.stopPropagation(); // keys of the site do not hear what is typed here
        if (event.key === "Escape") close();
      }}
    >
      <header>
        <h2>{name}</h2>
        <button type="button" class="close" aria-label={words.close} onClick={close}>
          ×
        </button>
      </header>
      <div class="log" role="log" aria-live="polite" ref={log} tabIndex={0} aria-label={name}>
        {turns.value.map((turn) => (
          <Answer key={turn.id} turn={turn} onAgain={() => send(turn.question)} />
        ))}
      </div>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (isRunning.value) stop();
          else send(question.value);
        }}
      >
        <textarea
          ref={field}
          rows={1}
          aria-label={words.question}
          placeholder={name}
          maxLength={LONGEST_QUESTION}
          value={question.value}
          onInput={(event) => (question.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send(question.value);
          }}
        />
        <button type="submit" class="main">
          {isRunning.value ? words.stop : words.ask}
        </button>
      </form>
      <p class="foot">{usesModel ? words.footModel : words.foot}</p>
    </section>
  );
}
