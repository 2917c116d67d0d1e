import { hold, release, removal, undo } from "../store/removal";
import { text } from "../text/en";

/** What was just taken away, and a way to have it back. */
export function Toast() {
  const going = removal.value;
  return (
    <div class="toast" role="status">
      {going && (
        <div
          class="toast-box"
          onMouseEnter={hold}
          onMouseLeave={release}
          onFocusIn={hold}
          onFocusOut={release}
        >
          {text.shell.forgotten(going.title)}{" "}
          <button type="button" class="button small" onClick={undo}>
            {text.shell.undo}
          </button>
        </div>
      )}
    </div>
  );
}
