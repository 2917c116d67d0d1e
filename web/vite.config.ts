import { defineConfig } from "vite";

// Fixed names: the server sends the files with an ETag, and a sub-path needs no setting. A screen that few people use is a
// script and a style sheet of its own, fetched when it is first shown.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/vademecum/server/page",
    emptyOutDir: true,
    assetsDir: "page",
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2022",
    rollupOptions: {
      output: {
        entryFileNames: "page/app.js",
        chunkFileNames: "page/[name].js",
        assetFileNames: (asset) => (asset.names[0] === "index.css" ? "page/app.css" : "page/[name][extname]"),
      },
    },
  },
  server: { proxy: { "/ask": "http://127.0.0.1:8765", "/api": "http://127.0.0.1:8765" } },
});
