/** The widget for other sites: one script tag, in a shadow root, with a key of its own and no cookie.
 *
 *     <script src="https://docs.example.org/page/widget.js" data-key="vdm_…" data-source="handbook" defer></script>
 */
import { render } from "preact";
import tokens from "../styles/tokens.css?inline";
import styles from "./widget.css?inline";
import { askWith } from "../api/client";
import { Widget } from "./Widget";

function begin(): void {
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) return;
  const { key = "", source = "", title = "" } = script.dataset;
  if (!key) {
    console.warn("Vademecum: the script tag of the widget has no data-key, so nothing is shown.");
    return;
  }
  askWith(new URL("..", script.src), key);
  const host = document.createElement("vademecum-widget");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [sheetOf(forHost(tokens)), sheetOf(styles)];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => (host.dataset.theme = dark.matches ? "dark" : "light");
  dark.addEventListener("change", follow);
  follow();
  const show = () => {
    document.body.append(host);
    render(<Widget sources={source.split(/[ ,]+/).filter(Boolean)} title={title} />, root);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", show);
  else show();
}

/** The tokens of the page, on the element instead of the document. */
function forHost(css: string): string {
  return css
    .replaceAll(":root", ":host")
    .replaceAll('[data-theme="dark"]', ':host([data-theme="dark"])')
    .replaceAll("[data-theme=dark]", ":host([data-theme=dark])");
}

/** A style sheet that no policy of the site forbids. */
function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

begin();
