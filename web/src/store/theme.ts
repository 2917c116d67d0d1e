/** Light, dark, or as the system has it. */
import { effect, signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";
const KEPT = "vademecum.theme";
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(dark.matches);
dark.addEventListener("change", (event) => (systemIsDark.value = event.matches));

export const theme = signal<Theme>(kept());

effect(() => {
  const isDark = theme.value === "dark" || (theme.value === "auto" && systemIsDark.value);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
});

export function nextTheme(): void {
  theme.value = theme.value === "auto" ? "light" : theme.value === "light" ? "dark" : "auto";
  try {
    localStorage.setItem(KEPT, theme.value);
  } catch {
    // a browser that keeps nothing follows the system next time
  }
}

function kept(): Theme {
  try {
    const found = localStorage.getItem(KEPT);
    return found === "light" || found === "dark" ? found : "auto";
  } catch {
    return "auto";
  }
}
