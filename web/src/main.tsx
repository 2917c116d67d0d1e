import { render } from "preact";
import "./store/connection";
import { watchHosts } from "./store/hosts";
import { draft, onKept, running, startAfresh } from "./store/asking";
import { loadConversations, openConversation } from "./store/conversations";
import { conversation, view, viewOf } from "./store/current";
import { begin } from "./store/session";
import "./store/theme";
import { Shell } from "./shell/Shell";

watchHosts();
onKept.push(() => void loadConversations());

/** Show what the address names: also after the browser's back and forward. */
function follow(): void {
  const to = viewOf(location.hash);
  view.value = to;
  if (to.kind !== "ask" || to.conversation === conversation.value) return;
  // a question that is left before it was answered is not lost
  if (running.value && !draft.value) draft.value = running.value.question;
  if (to.conversation) void openConversation(to.conversation);
  else startAfresh();
}

window.addEventListener("popstate", follow);
void begin().then(follow);
const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<Shell />, root);
}
