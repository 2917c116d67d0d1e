/** What was asked before, kept on the server: listed, looked through, opened, renamed, forgotten. */
import { signal } from "@preact/signals";
import { json, request, type Conversation, type ConversationTurns, type Reply } from "../api/client";
import { announce } from "../parts/announce";
import { text } from "../text/en";
import { restore, startAfresh } from "./asking";
import { conversation } from "./current";
import { removeLater } from "./removal";
import { restoredTurn } from "./turn";

const PATH = "/api/conversations";
const PAGE = 50;

export const conversations = signal<readonly Conversation[]>([]);
export const hasMore = signal(false);
export const search = signal("");

/** The conversations that go in a moment, unless that is undone. */
const going = new Set<string>();

export async function loadConversations(more = false): Promise<void> {
  const known = more ? conversations.value : [];
  const query = new URLSearchParams({ q: search.value, skip: String(known.length), limit: String(PAGE) });
  try {
    const found = await json<{ conversations: Conversation[] }>(`${PATH}?${query.toString()}`);
    conversations.value = [...known, ...found.conversations.filter((one) => !going.has(one.id))];
    hasMore.value = found.conversations.length === PAGE;
  } catch {
    // the list is a convenience: what is wrong with the server is told where it is asked
  }
}

/** Open a conversation as it was; whether it is there. */
export async function openConversation(id: string): Promise<boolean> {
  try {
    const found = await json<ConversationTurns>(`${PATH}/${id}`);
    restore(
      found.id,
      found.messages.map((one) =>
        restoredTurn(`turn-${found.id}-${one.number}`, one.message, one.told.reply as Reply | undefined, {
          number: one.number,
          at: one.at,
          response: one.response,
        }),
      ),
    );
    return true;
  } catch {
    announce(text.shell.noConversation);
    return false;
  }
}

export async function rename(id: string, title: string): Promise<void> {
  if (!title.trim()) return;
  await request(`${PATH}/${id}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ title: title.trim().slice(0, 80) }),
  }).catch(() => null);
  await loadConversations();
}

/** Take a conversation out of the list, and forget it when there was time to undo that. */
export function forget(one: Conversation): void {
  removeLater({
    title: one.title,
    commit: () => {
      going.delete(one.id);
      void request(`${PATH}/${one.id}`, { method: "DELETE", keepalive: true }).catch(() => null);
    },
    undo: () => {
      going.delete(one.id);
      void loadConversations();
    },
  });
  going.add(one.id);
  conversations.value = conversations.value.filter((other) => other.id !== one.id);
  if (conversation.value === one.id) startAfresh();
}
