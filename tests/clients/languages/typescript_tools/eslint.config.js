// The strict type-checked rules of typescript-eslint, for the sources and examples of the TypeScript SDK.

import path from "node:path";

import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

const sdk = path.resolve(import.meta.dirname, "../../../../clients/typescript");

export default defineConfig(
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: sdk } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      // `return this.#begin(message);` ends a case of a switch in one line.
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // A connection does not wait for the promise that Session.lost returns as a Receiver.
      "@typescript-eslint/no-misused-promises": [
        "error",
        { checksVoidReturn: { inheritedMethods: false } },
      ],
      // A function with the signature of another one may have parameters that it does not use.
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      // A number in a sentence reads the same however it gets there.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    files: ["examples/**"],
    // Positions are arrays: the compiler does not know that an index is in range.
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
);
