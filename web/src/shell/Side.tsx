import { foreign } from "../store/hosts";
import { hashOf, view, type View } from "../store/current";
import { me, signOut } from "../store/session";
import { Icon, type IconName } from "../parts/Icon";
import { text } from "../text/en";
import { History } from "./History";
import { newQuestion } from "./keyboard";
import { isMenuOpen } from "./menu";

const WAYS: readonly { to: View; icon: IconName; title: string }[] = [
  { to: { kind: "documents", source: "" }, icon: "book", title: text.documents.title },
  { to: { kind: "collections", name: "" }, icon: "folder", title: text.shell.collections },
  { to: { kind: "rules" }, icon: "sliders", title: text.shell.rules },
  { to: { kind: "health" }, icon: "pulse", title: text.shell.health },
];

export function Side() {
  return (
    <nav class={`side${isMenuOpen.value ? " open" : ""}`} aria-label={text.shell.nav}>
      <p class="brand">
        <Logo /> {text.name}
      </p>
      <button type="button" class="button new-question" onClick={newQuestion}>
        {text.shell.newQuestion} <kbd class="key">n</kbd>
      </button>
      <History />
      <div class="side-foot">
        {WAYS.map(({ to, icon, title }) => (
          <a
            key={to.kind}
            class="button plain way"
            href={hashOf(to)}
            aria-current={view.value.kind === to.kind ? "page" : undefined}
            onClick={() => (isMenuOpen.value = false)}
          >
            <Icon name={icon} /> {title}
          </a>
        ))}
        {me.value?.signed_in && (
          <p class="badge">
            {text.shell.signedInAs(me.value.name)}
            <button type="button" class="button plain small" onClick={() => void signOut()}>
              {text.shell.signOut}
            </button>
          </p>
        )}
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
