import { render } from "preact";
import "./store/connection";
import { watchHosts } from "./store/hosts";
import { onKept, startAfresh } from "./store/asking";
import { loadConversations, openConversation } from "./store/conversations";
import { addressed, conversation } from "./store/current";
import { begin } from "./store/session";
import "./store/theme";
import { Shell } from "./shell/Shell";

watchHosts();
onKept.push(() => void loadConversations());

/** Show what the address names: also after the browser's back and forward. */
function follow(): void {
  const id = addressed();
  if (id === conversation.value) return;
  if (id) void openConversation(id);
  else startAfresh();
}

window.addEventListener("popstate", follow);
void begin().then(follow);
const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<Shell />, root);
}
