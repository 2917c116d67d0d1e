import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import type { Managing } from "../store/current";
import { text } from "../text/en";

type Screen = ComponentType;

/** Screens that few people use: each is fetched when it is first shown. */
const FETCH: Record<Managing["kind"], () => Promise<Screen>> = {
  collections: async () => (await import("../collections/CollectionsScreen")).CollectionsScreen,
  health: async () => (await import("../health/HealthScreen")).HealthScreen,
  rules: async () => (await import("../rules/RulesScreen")).RulesScreen,
};

const fetched = signal<Partial<Record<Managing["kind"], Screen | "lost">>>({});

export function Later({ kind }: { kind: Managing["kind"] }) {
  useEffect(() => {
    if (fetched.value[kind]) return;
    const note = (screen: Screen | "lost") => (fetched.value = { ...fetched.value, [kind]: screen });
    FETCH[kind]()
      .then(note)
      .catch(() => note("lost"));
  }, [kind]);
  const Found = fetched.value[kind];
  if (Found === "lost") {
    return (
      <div class="column home" role="alert">
        <p>{text.shell.lostScreen}</p>
        <p>
          <button type="button" class="button" onClick={() => location.reload()}>
            {text.shell.reload}
          </button>
        </p>
      </div>
    );
  }
  return Found ? <Found /> : <p class="hidden">{text.shell.loadingScreen}</p>;
}
