import { expect, test } from "vitest";
import type { GgufKind } from "../../../src-main/contract/model.ts";
import type { GgufScalar } from "../../../src-main/gguf/gguf-header.ts";
import { ggufKind } from "../../../src-main/gguf/gguf-kind.ts";
import { headerOf } from "../../helpers/gguf-shapes.ts";

const tensor = { name: "token_embd.weight", shape: [1], type: 0, offsetBytes: 0 };

test.each<[GgufKind, Readonly<Record<string, GgufScalar>>, number]>([
  ["model", {}, 1],
  ["model", { "split.no": 0, "split.count": 2 }, 0],
  ["part", { "split.no": 1, "split.count": 2 }, 1],
  ["adapter", { "general.type": "adapter", "adapter.type": "lora" }, 1],
  ["projector", { "general.type": "mmproj" }, 1],
  ["projector", { "general.architecture": "clip" }, 1],
  ["importance-matrix", { "general.type": "imatrix", "general.architecture": "" }, 1],
  ["vocabulary", { "tokenizer.ggml.tokens": 1 }, 0],
  ["other", { "general.architecture": "controlvector" }, 1],
  ["other", { "general.architecture": "" }, 1],
  ["other", {}, 0],
])("%s: %j", (kind, metadata, tensors) => {
  expect(ggufKind(headerOf(metadata, tensors === 0 ? [] : [tensor]))).toBe(kind);
});
