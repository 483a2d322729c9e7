import { defineConfig } from "vitest/config";

export default defineConfig({
  server: { fs: { allow: [".."] } },
  // Each file has a context of its own in a process that has read jsdom once: that is half of the time.
  test: { environment: "jsdom", include: ["*.test.js"], setupFiles: ["./setup.js"], pool: "vmThreads" },
});
