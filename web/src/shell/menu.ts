import { signal } from "@preact/signals";

/** Whether the side bar is out, where there is no room for it. */
export const isMenuOpen = signal(false);
