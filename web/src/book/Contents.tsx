import { useEffect, useRef } from "preact/hooks";
import type { DocumentInfo, DocumentText } from "../api/client";
import { goTo, here, isListed, loaded, reading, siblings } from "../store/book";
import { conversation, hashOf, type Reading } from "../store/current";
import { isMenuOpen } from "../shell/menu";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";

/** The way back, and the table of contents: of a small source all documents, of the one that is read its sections. */
export function Contents() {
  const now = reading.value;
  const nav = useRef<HTMLElement>(null);
  const document_ = now?.document;
  useEffect(() => {
    nav.current?.querySelector("[aria-current='page']")?.scrollIntoView({ block: "center" });
  }, [document_, siblings.value]);
  const section = loaded.value?.sections.findLast((one) => one.start <= here.value)?.start;
  useEffect(() => {
    nav.current?.querySelector("[aria-current='location']")?.scrollIntoView({ block: "nearest" });
  }, [section]);
  if (!now) return null;
  const found = loaded.value;
  const all = isListed.value ? (siblings.value?.documents ?? []) : [];
  const title = all.length ? siblings.value?.source.title : found?.title;
  return (
    <nav class={`contents side${isMenuOpen.value ? " open" : ""}`} aria-label={text.book.contents} ref={nav}>
      <a class="back" href={hashOf({ kind: "documents", source: now.source })}>
        <Icon name="left" /> {text.book.all}
      </a>
      <a class="back" href={hashOf({ kind: "ask", conversation: conversation.value })}>
        <Icon name="left" /> {text.book.questions}
      </a>
      <h2 class="contents-title">{title ?? now.source}</h2>
      {all.length ? (
        <ul>
          {all.map((one, at) => {
            const isCurrent = one.id === now.document;
            const folder = folderOf(one);
            const isFirst = folder !== (at ? folderOf(all[at - 1]) : "");
            return (
              <li key={one.id}>
                {isFirst && <p class="folder">{folder}</p>}
                <a
                  href={hashOf({ ...now, document: one.id, span: null })}
                  aria-current={isCurrent ? "page" : undefined}
                  onClick={() => (isMenuOpen.value = false)}
                >
                  {one.title || one.reference}
                </a>
                {isCurrent && found && <Sections found={found} now={now} />}
              </li>
            );
          })}
        </ul>
      ) : (
        found && <Sections found={found} now={now} />
      )}
    </nav>
  );
}

/** The folder of a document that is cited by its path, or "". */
function folderOf(one: DocumentInfo | undefined): string {
  const path = one?.reference ?? "";
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function Sections({ found, now }: { found: DocumentText; now: Reading }) {
  // the first heading is that of the document itself
  const sections = found.sections.filter((one) => one.title !== found.title);
  const current = sections.findLast((one) => one.start <= here.value);
  const least = Math.min(...sections.map((one) => one.level));
  if (!sections.length) return null;
  return (
    <ul class="sections">
      {sections.map((one, at) => (
        <li key={at}>
          <a
            href={hashOf({ ...now, span: null })}
            style={{ "--level": one.level - least }}
            aria-current={one === current ? "location" : undefined}
            onClick={(event) => {
              event.preventDefault();
              isMenuOpen.value = false;
              goTo(one.start);
            }}
          >
            {one.title}
          </a>
        </li>
      ))}
    </ul>
  );
}
