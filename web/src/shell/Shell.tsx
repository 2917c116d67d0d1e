import { useEffect } from "preact/hooks";
import { isOpen, hide } from "../store/pane";
import { nextTheme, theme } from "../store/theme";
import { chosenSources, sources } from "../store/sources";
import { turns } from "../store/asking";
import { view } from "../store/current";
import { AskScreen } from "../ask/AskScreen";
import { BookScreen } from "../book/BookScreen";
import { Documents } from "../book/Documents";
import { Card } from "../ask/card";
import { SourcePane } from "../pane/SourcePane";
import { Announcer } from "../parts/announce";
import { WhyDrawer } from "../why/WhyDrawer";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";
import { areKeysListed, onKey } from "./keyboard";
import { KeyList } from "./KeyList";
import { Later } from "./Later";
import { isMenuOpen } from "./menu";
import { Side } from "./Side";
import { Toast } from "./Toast";
import { SourcePicker } from "./SourcePicker";

export function Shell() {
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <a class="skip" href="#answers">
        {text.skipToAnswer}
      </a>
      <a class="skip" href="#question">
        {text.skipToBox}
      </a>
      {view.value.kind === "book" ? <BookScreen /> : <Desk />}
      {isMenuOpen.value && (
        <button
          type="button"
          class="scrim"
          aria-label={text.close}
          onClick={() => (isMenuOpen.value = false)}
        />
      )}
      <Card />
      <Toast />
      <WhyDrawer />
      <KeyList />
      <Announcer />
    </>
  );
}

/** The way to everything, the conversation or the list of documents, and the source of what is said. */
function Desk() {
  const { kind } = view.value;
  const isManaging = kind === "collections" || kind === "rules" || kind === "health";
  const hasPane = isOpen.value && !isManaging;
  return (
    <div class={`shell${hasPane ? " with-pane" : ""}`}>
      <Side />
      <main class="stage">
        <Top />
        {isManaging ? <Later kind={kind} /> : kind === "documents" ? <Documents /> : <AskScreen />}
      </main>
      {hasPane && (
        <>
          <button type="button" class="scrim for-pane" aria-label={text.close} tabIndex={-1} onClick={hide} />
          <SourcePane />
        </>
      )}
    </div>
  );
}

function Top() {
  const label = text.shell.theme[theme.value];
  return (
    <div class="top">
      <button
        type="button"
        class="button plain square menu-button"
        aria-label={text.shell.menu}
        aria-expanded={isMenuOpen.value}
        onClick={() => (isMenuOpen.value = true)}
      >
        <Icon name="menu" />
      </button>
      {turns.value.length > 0 && sources.value && view.value.kind === "ask" && (
        <SourcePicker chosen={chosenSources.value} all={sources.value} />
      )}
      <span class="spread" />
      <button type="button" class="button plain square" aria-label={label} title={label} onClick={nextTheme}>
        <Icon name="theme" />
      </button>
      <button
        type="button"
        class="button plain square"
        aria-label={text.shell.keys}
        onClick={() => (areKeysListed.value = true)}
      >
        <kbd class="key">?</kbd>
      </button>
    </div>
  );
}
