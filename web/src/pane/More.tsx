import { AROUND, load, type Loaded } from "../store/proof";
import { text } from "../text/en";

interface Props {
  readonly loaded: Loaded;
  readonly before?: boolean;
  readonly onLoaded: (loaded: Loaded) => void;
}

/** Fetches what comes before or behind the stretch that is shown. */
export function More({ loaded, before = false, onLoaded }: Props) {
  const more = () => {
    const start = before ? Math.max(0, loaded.start - 2 * AROUND) : loaded.start;
    const end = before ? loaded.end : loaded.end + 2 * AROUND;
    void load(loaded.source, loaded.id, start, end).then(onLoaded);
  };
  return (
    <button type="button" class="button small more-text" onClick={more}>
      {text.pane.more}
    </button>
  );
}
