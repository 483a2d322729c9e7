import { defineConfig } from "vitest/config";

export default defineConfig({
  server: { fs: { allow: [".."] } },
  test: { environment: "jsdom", include: ["*.test.js"], setupFiles: ["./setup.js"] },
});
