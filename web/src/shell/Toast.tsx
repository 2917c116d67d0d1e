import { goingAway, undo } from "../store/conversations";
import { text } from "../text/en";

/** What was just taken away, and a way to have it back. */
export function Toast() {
  const one = goingAway.value;
  return (
    <div class="toast" role="status">
      {one && (
        <div class="toast-box">
          {text.shell.forgotten(one.title)}{" "}
          <button type="button" class="button small" onClick={undo}>
            {text.shell.undo}
          </button>
        </div>
      )}
    </div>
  );
}
