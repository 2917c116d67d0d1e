import { turns } from "../store/asking";
import { foreign } from "../store/hosts";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";
import { newQuestion } from "./keyboard";
import { isMenuOpen } from "./menu";

export function Side() {
  return (
    <nav class={`side${isMenuOpen.value ? " open" : ""}`} aria-label={text.shell.nav}>
      <p class="brand">
        <Logo /> {text.name}
      </p>
      <button type="button" class="button new-question" onClick={newQuestion}>
        {text.shell.newQuestion} <kbd class="key">n</kbd>
      </button>
      <h2>{text.shell.history}</h2>
      {turns.value.length ? (
        <ul class="history">
          {turns.value.map((turn) => (
            <li key={turn.id}>
              <a href={`#${turn.id}`} onClick={() => (isMenuOpen.value = false)}>
                {turn.question}
              </a>
            </li>
          ))}
        </ul>
      ) : (
        <p class="badge">{text.shell.noHistory}</p>
      )}
      <div class="side-foot">
        <p class={`badge${foreign.value ? " some" : ""}`}>
          <Icon name="globe" />
          <span>
            <b>{text.number(foreign.value)}</b> {text.shell.requests(foreign.value)}
          </span>
        </p>
      </div>
    </nav>
  );
}

function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--text)" />
      <path d="M9 8h5.2l2.6 11 2.7-11H24l-5.2 16h-4.6z" fill="var(--surface)" />
    </svg>
  );
}
