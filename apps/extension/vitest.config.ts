import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // Vitest's five seconds are over on a busy machine, and a test that is given up goes on beside the next one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
