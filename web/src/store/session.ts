/** Whether a key is wanted, and signing in with one: the browser then has a cookie, and the page keeps nothing. */
import { effect, signal } from "@preact/signals";
import { json, me as fetchMe, Problem, request, type Me } from "../api/client";
import { turns } from "./asking";
import { loadConversations } from "./conversations";
import { loadRules, loadSources, sourcesProblem } from "./sources";

export const me = signal<Me | null>(null);
export const isKeyWanted = signal(false);
export const signInProblem = signal<Problem | null>(null);

effect(() => {
  if (sourcesProblem.value?.status === 401 || turns.value.at(-1)?.problem?.status === 401)
    isKeyWanted.value = true;
});

/** Fetch what everything else depends on. */
export async function begin(): Promise<void> {
  await loadSources();
  if (sourcesProblem.value) return;
  isKeyWanted.value = false;
  me.value = await fetchMe().catch(() => null);
  await loadRules(me.value?.has_rules ?? false);
  await loadConversations();
}

export async function signIn(key: string): Promise<void> {
  try {
    await json<Me>("/api/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ key }),
    });
    signInProblem.value = null;
    await begin();
  } catch (error) {
    signInProblem.value = error instanceof Problem ? error : new Problem("UNREADABLE", String(error), "", 0);
  }
}

export async function signOut(): Promise<void> {
  await request("/api/session", { method: "DELETE" }).catch(() => null);
  location.reload();
}
