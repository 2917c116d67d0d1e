import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { documents, Problem, type DocumentList } from "../api/client";
import { hashOf, view } from "../store/current";
import { sources } from "../store/sources";
import { text } from "../text/en";

const PAGE = 100;
const WAIT_MS = 150;

/** All documents of a source, and a field that finds some of them. */
export function Documents() {
  const all = (sources.value ?? []).filter((one) => !one.problem);
  const named = view.value.kind === "documents" ? view.value.source : "";
  const source = named || (all[0]?.name ?? "");
  const words = useSignal("");
  const found = useSignal<DocumentList | null>(null);
  const problem = useSignal("");

  const look = async (skip: number, isCurrent: () => boolean) => {
    try {
      const more = await documents(source, words.value, skip, PAGE);
      if (!isCurrent()) return;
      const known = skip && found.value ? found.value.documents : [];
      found.value = { ...more, documents: [...known, ...more.documents] };
      problem.value = "";
    } catch (error) {
      if (!isCurrent()) return;
      problem.value = error instanceof Problem && error.detail ? error.detail : text.pane.unreachable;
    }
  };

  useEffect(() => {
    if (!source) return;
    let isCurrent = true;
    const timer = setTimeout(() => void look(0, () => isCurrent), words.value ? WAIT_MS : 0);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [source, words.value]);

  const list = found.value?.source.name === source ? found.value : null;
  return (
    <div class="scroll">
      <div class="column documents" id="answers" tabIndex={-1}>
        <h1>{text.documents.title}</h1>
        <nav class="toggles" aria-label={text.home.sources}>
          {all.map((one) => (
            <a
              key={one.name}
              class="toggle"
              href={hashOf({ kind: "documents", source: one.name })}
              aria-current={one.name === source ? "page" : undefined}
            >
              {one.title} <span class="count">{text.number(one.documents)}</span>
            </a>
          ))}
        </nav>
        <input
          type="search"
          class="documents-search"
          aria-label={text.documents.search}
          placeholder={text.documents.search}
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
        {problem.value && (
          <p class="box-note" role="alert">
            {problem.value}
          </p>
        )}
        {list && (
          <>
            <p class="documents-count" role="status">
              {text.documents.count(list.total, words.value.trim() !== "")}
            </p>
            <ul class="documents-list">
              {list.documents.map((one) => (
                <li key={one.id}>
                  <a href={hashOf({ kind: "book", source, document: one.id, span: null })}>
                    {one.title || one.reference}
                  </a>
                  <span class="of">
                    {[one.title && one.title !== one.reference && one.reference, one.summary]
                      .filter(Boolean)
                      .join(" · ")}
                  </span>
                </li>
              ))}
            </ul>
            {list.documents.length < list.total && (
              <button
                type="button"
                class="button"
                onClick={() => void look(list.documents.length, () => found.value === list)}
              >
                {text.shell.more}
              </button>
            )}
          </>
        )}
      </div>
    </div>
  );
}
