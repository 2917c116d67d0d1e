/** How many requests went to another host: what the browser itself measured. */
import { signal } from "@preact/signals";

export const foreign = signal(0);

const observer = new PerformanceObserver((list) => {
  const others = list.getEntries().filter((entry) => isForeign(entry.name));
  if (others.length) foreign.value += others.length;
});

function isForeign(url: string): boolean {
  try {
    const { protocol, origin } = new URL(url);
    return protocol.startsWith("http") && origin !== location.origin;
  } catch {
    return false;
  }
}

export function watchHosts(): void {
  observer.observe({ type: "resource", buffered: true });
}
