import { useSignal } from "@preact/signals";
import type { Conversation } from "../api/client";
import { conversations, forget, hasMore, loadConversations, rename, search } from "../store/conversations";
import { conversation, view } from "../store/current";
import { hide } from "../store/pane";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";
import { isMenuOpen } from "./menu";

const WAIT_MS = 200;
const DAY_MS = 86_400_000;
let timer = 0;

/** What was asked before, by day. */
export function History() {
  const found = conversations.value;
  const isAny = found.length > 0 || search.value !== "";
  return (
    <div class="history">
      {isAny && (
        <input
          type="search"
          aria-label={text.shell.search}
          placeholder={text.shell.search}
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
            clearTimeout(timer);
            timer = window.setTimeout(() => void loadConversations(), WAIT_MS);
          }}
        />
      )}
      {!found.length && <p class="badge">{text.shell.noHistory}</p>}
      {groups(found).map(([title, ones]) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <ul>
            {ones.map((one) => (
              <Row key={one.id} one={one} />
            ))}
          </ul>
        </section>
      ))}
      {hasMore.value && (
        <button type="button" class="button plain small" onClick={() => void loadConversations(true)}>
          {text.shell.more}
        </button>
      )}
    </div>
  );
}

function Row({ one }: { one: Conversation }) {
  const isRenamed = useSignal(false);
  const isCurrent = view.value.kind === "ask" && conversation.value === one.id;
  if (isRenamed.value) {
    const save = (title: string) => {
      isRenamed.value = false;
      if (title !== one.title) void rename(one.id, title);
    };
    return (
      <li>
        <input
          type="text"
          aria-label={text.shell.title}
          defaultValue={one.title}
          maxLength={80}
          ref={(field) => field?.focus()}
          onBlur={(event) => save(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") save(event.currentTarget.value);
            if (event.key === "Escape") isRenamed.value = false;
            if (event.key === "Enter" || event.key === "Escape") event.preventDefault();
          }}
        />
      </li>
    );
  }
  return (
    <li>
      <a
        href={`#c/${one.id}`}
        aria-current={isCurrent ? "page" : undefined}
        onClick={() => {
          isMenuOpen.value = false;
          hide();
        }}
      >
        {one.title}
      </a>
      <button
        type="button"
        aria-label={text.shell.renameOf(one.title)}
        onClick={() => (isRenamed.value = true)}
      >
        <Icon name="pencil" />
      </button>
      <button type="button" aria-label={text.shell.forget(one.title)} onClick={() => forget(one)}>
        <Icon name="close" />
      </button>
    </li>
  );
}

function groups(found: readonly Conversation[]): [string, Conversation[]][] {
  const today = new Date().setHours(0, 0, 0, 0);
  const made: [string, Conversation[]][] = [
    [text.shell.today, []],
    [text.shell.week, []],
    [text.shell.earlier, []],
  ];
  for (const one of found) {
    const at = Date.parse(one.changed);
    made[at >= today ? 0 : at >= today - 7 * DAY_MS ? 1 : 2]?.[1].push(one);
  }
  return made.filter(([, ones]) => ones.length > 0);
}
