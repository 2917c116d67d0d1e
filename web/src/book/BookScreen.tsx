import { useEffect } from "preact/hooks";
import { loaded, isAskOpen, reading, siblings } from "../store/book";
import { isMenuOpen } from "../shell/menu";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";
import { AskColumn } from "./AskColumn";
import { BookText } from "./BookText";
import { Contents } from "./Contents";

/** A document to be read, with its contents and the questions to it: three columns, or one and two drawers. */
export function BookScreen() {
  const document_ = loaded.value;
  const title = document_?.title ?? "";
  useEffect(() => {
    if (title) document.title = `${title} · ${text.name}`;
    return () => {
      document.title = text.name;
    };
  }, [title]);
  const source = siblings.value?.source.title ?? reading.value?.source ?? "";
  return (
    <div class={`book${isAskOpen.value ? " asking" : ""}`}>
      <Contents />
      <main class="book-stage">
        <div class="book-top">
          <button
            type="button"
            class="button plain square"
            aria-label={text.book.contents}
            aria-expanded={isMenuOpen.value}
            onClick={() => (isMenuOpen.value = true)}
          >
            <Icon name="menu" />
          </button>
          <p class="place">{[source, document_?.reference].filter(Boolean).join(" › ")}</p>
        </div>
        <h1 class="hidden">{title || text.book.loading}</h1>
        <BookText />
      </main>
      <AskColumn />
    </div>
  );
}
