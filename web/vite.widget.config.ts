import { defineConfig } from "vite";

// One classic script with its styles in it, so that a site needs one tag.
export default defineConfig({
  base: "./",
  publicDir: false,
  build: {
    outDir: "../src/vademecum/server/page",
    emptyOutDir: false,
    target: "es2022",
    rollupOptions: {
      input: "src/widget/main.tsx",
      output: { format: "iife", entryFileNames: "page/widget.js" },
    },
  },
});
