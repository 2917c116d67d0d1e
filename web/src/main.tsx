import { render } from "preact";
import "./store/connection";
import { watchHosts } from "./store/hosts";
import { loadSources } from "./store/sources";
import "./store/theme";
import { Shell } from "./shell/Shell";

watchHosts();
void loadSources();
const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<Shell />, root);
}
