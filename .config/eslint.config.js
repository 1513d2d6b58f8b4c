import { fileURLToPath } from "node:url";
import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import tseslint from "typescript-eslint";

const tsconfigRootDir = fileURLToPath(new URL("..", import.meta.url));
const tsconfigs = ["src-main/tsconfig.json", "src-renderer/tsconfig.json", "test/tsconfig.json"];

export default tseslint.config(
  { ignores: ["out/**", "release/**", "node_modules/**", "src-renderer/paraglide/**", "test-results/**"] },
  js.configs.recommended,
  {
    files: ["**/*.ts", "**/*.svelte"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: tsconfigs, tsconfigRootDir, extraFileExtensions: [".svelte"] } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "no-console": "error",
      eqeqeq: "error",
    },
  },
  {
    // The benches and the fuzzer speak through standard output; they own it.
    files: ["test/{bench,fuzz}/**/*.ts"],
    rules: { "no-console": "off" },
  },
  ...svelte.configs.recommended,
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { globals: globals.browser, parserOptions: { parser: tseslint.parser } },
    // Props are taken apart in one declaration, and one that can be bound makes it a `let`.
    rules: { "prefer-const": ["error", { destructuring: "all" }] },
  },
  { files: ["**/*.js", "**/*.cjs"], languageOptions: { globals: globals.node } },
);
