import { hold, release, removal, notice, undo } from "../store/removal";
import { text } from "../text/en";

/** What was just taken away, and a way to have it back; or what was done. */
export function Toast() {
  const going = removal.value;
  return (
    <div class="toast" role="status">
      {!going && notice.value && <div class="toast-box">{notice.value}</div>}
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
