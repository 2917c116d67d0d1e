import { defineConfig } from "vite";

// One script and one style sheet, with fixed names: the server sends them with an ETag, and a sub-path needs no setting.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/vademecum/server/page",
    emptyOutDir: true,
    assetsDir: "page",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    target: "es2022",
    rollupOptions: {
      output: {
        entryFileNames: "page/app.js",
        assetFileNames: (asset) =>
          asset.names[0]?.endsWith(".css") ? "page/app.css" : "page/[name][extname]",
      },
    },
  },
  server: { proxy: { "/ask": "http://127.0.0.1:8765", "/api": "http://127.0.0.1:8765" } },
});
