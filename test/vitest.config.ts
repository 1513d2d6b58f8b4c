import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Every test, and every process one starts, sees only models it made itself: never those of programs on this machine.
process.env["REPRISE_WATCH"] = "off";

const root = fileURLToPath(new URL("..", import.meta.url));
const rendererConfig = fileURLToPath(new URL("../src-renderer/svelte.config.js", import.meta.url));

/**
 * Suites that load models or start browsers take turns, file by file and suite by suite: ggml's threads must never
 * be oversubscribed. Suites of one `groupOrder` share the workers.
 */
function oneAtATime(name: string, groupOrder: number) {
  return {
    name,
    include: [`test/${name}/**/*.test.ts`],
    fileParallelism: false,
    sequence: { groupOrder },
    testTimeout: 120_000,
    hookTimeout: 300_000,
  };
}

export default defineConfig({
  root,
  test: {
    reporters: ["default", "./test/helpers/closing-line-reporter.ts"],
    projects: [
      { root, test: { name: "unit", include: ["test/unit/**/*.test.ts", "test/migrations/**/*.test.ts"] } },
      {
        root,
        plugins: [svelte({ configFile: rendererConfig })],
        resolve: { conditions: ["browser"] },
        test: { name: "renderer", environment: "happy-dom", include: ["test/renderer/**/*.test.ts"] },
      },
      { root, test: oneAtATime("engine", 1) },
      { root, test: oneAtATime("model", 2) },
      { root, test: oneAtATime("e2e", 3) },
      { root, test: oneAtATime("package", 4) },
    ],
  },
});
