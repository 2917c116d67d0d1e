import { useSignal } from "@preact/signals";
import { text } from "../text/en";
import { copy } from "./announce";
import { Icon } from "./Icon";

const SHOWN_MS = 2000;

interface Props {
  readonly of: () => string;
  readonly label?: string;
  /** Without a border, and without a word. */
  readonly bare?: boolean;
  /** Without a border. */
  readonly plain?: boolean;
  readonly describedBy?: string;
}

/** Copies a text, and says so in its place for two seconds. */
export function CopyButton({ of, label = text.copy, bare = false, plain = false, describedBy }: Props) {
  const done = useSignal(false);
  const take = async () => {
    if (!(await copy(of()))) return;
    done.value = true;
    setTimeout(() => (done.value = false), SHOWN_MS);
  };
  const says = done.value ? text.copied : label;
  return (
    <button
      type="button"
      class={bare ? "" : plain ? "button plain" : "button small"}
      onClick={() => void take()}
      aria-label={says}
      aria-describedby={describedBy}
    >
      <Icon name={done.value ? "check" : "copy"} />
      {!bare && <span class="copy-word">{says}</span>}
    </button>
  );
}
