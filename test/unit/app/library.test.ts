import { copyFileSync, existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import type { RepriseOptions } from "../../../src-main/app/compose.ts";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import { defaultSampling } from "../../../src-main/contract/conversation.ts";
import type { FamilyCard } from "../../../src-main/contract/model-library.ts";
import { defaultFamilySettings, defaultLoadOptions } from "../../../src-main/contract/model-settings.ts";
import type { ModelFile } from "../../../src-main/contract/model.ts";
import { ModelReader } from "../../../src-main/models/model-reader.ts";
import { readModel } from "../../../src-main/models/read-model.ts";
import { ggufBytes } from "../../helpers/gguf-writer.ts";
import { modelSource, openTestApp, until } from "../../helpers/open-test-app.ts";
import { sampleModel, type SampleModel } from "../../helpers/sample-header.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

/** The app with the reader it has in earnest, and no default model. */
function openLibrary(options: Partial<RepriseOptions> = {}) {
  const defaultModelSource = modelSource(join(temporaryFolder(), "none.gguf"));
  return openTestApp({ modelReader: new ModelReader(), defaultModelSource, ...options });
}

function write(path: string, model: SampleModel): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, sampleModel(model));
  return path;
}

const qwen = (fileType: number, name = "Qwen3 4B"): SampleModel => ({ general: { name, file_type: fileType } });

/** The list once every file has been looked into. */
async function filesOf(
  client: AppClient,
  isWanted: (files: ModelFile[]) => boolean = () => true,
): Promise<ModelFile[]> {
  const isRead = ({ summary, problem }: ModelFile) => summary !== null || problem !== null;
  return until(await client.models.watch(), (files) => files.every(isRead) && isWanted(files));
}

async function cardsOf(client: AppClient, isWanted: (cards: FamilyCard[]) => boolean): Promise<FamilyCard[]> {
  return until(await client.models.families(), isWanted);
}

test("levels of one model are one card, and what is set for it is kept", async () => {
  const { client, modelsFolder, dataFolder, close } = await openLibrary();
  write(join(modelsFolder, "a.gguf"), qwen(15));
  write(join(modelsFolder, "whatever.gguf"), qwen(7, "qwen3-4b-q8_0"));
  write(join(modelsFolder, "other.gguf"), qwen(1, "Qwen3 4B Coder"));
  const isWhole = (cards: FamilyCard[]) => cards.flatMap(({ levels }) => levels).length === 3;
  const cards = await cardsOf(client, isWhole);
  expect(cards.map(({ name, levels }) => [name, levels.map(({ level }) => level)])).toEqual([
    ["Qwen3 4B", ["Q4_K_M", "Q8_0"]],
    ["Qwen3 4B Coder", ["F16"]],
  ]);
  const familyId = String(cards[0]?.id);
  const settings = { ...defaultFamilySettings, chatTemplate: "{{ messages }}", systemPrompt: "Be brief." };
  expect(await client.models.updateFamily({ familyId, patch: { chatTemplate: "{{ messages }}" } })).toMatchObject({
    chatTemplate: "{{ messages }}",
  });
  expect(await client.models.updateFamily({ familyId, patch: { systemPrompt: "Be brief." } })).toEqual(settings);
  await close();
  const again = await openLibrary({ dataFolder });
  expect((await cardsOf(again.client, isWhole)).find(({ id }) => id === familyId)?.settings).toEqual(settings);
});

test("what is found in a file before the folders are read to the end is not lost", async () => {
  const modelReader = {
    read: (path: string) => Promise.resolve(readModel(path)),
    hashStep: () => Promise.resolve("aa"),
    close: () => Promise.resolve(),
  };
  const { client, modelsFolder } = await openLibrary({ modelReader });
  write(join(modelsFolder, "a.gguf"), qwen(15));
  expect((await filesOf(client)).map(({ summary }) => summary?.quantization)).toEqual(["Q4_K_M"]);
});

test("a conversation begins with what is set for its model, where nothing else is chosen for it", async () => {
  const { client, modelsFolder } = await openLibrary();
  write(join(modelsFolder, "a.gguf"), qwen(15));
  const [file] = await filesOf(client);
  const modelId = String(file?.id);
  const sampling = { ...defaultSampling, temperature: 0.25 };
  await client.models.updateFamily({
    familyId: String(file?.familyId),
    patch: { sampling, systemPrompt: "Answer in one word." },
  });
  expect(await client.conversations.create({ modelId })).toMatchObject({
    sampling,
    systemPrompt: "Answer in one word.",
  });
  expect(await client.conversations.create({ modelId, systemPrompt: "" })).toMatchObject({
    sampling,
    systemPrompt: "",
  });
  // Of the default model, for which nothing is set.
  expect(await client.conversations.create({})).toMatchObject({ sampling: defaultSampling, systemPrompt: "" });
});

test("a file that is laid into a folder is listed without anybody asking", async () => {
  const { client, modelsFolder } = await openLibrary();
  mkdirSync(modelsFolder, { recursive: true });
  const events = await client.models.watch();
  expect((await events.next()).value).toEqual([]);
  write(join(modelsFolder, "a.gguf"), qwen(15));
  const files = await until(events, (listed) => listed.some(({ summary }) => summary !== null));
  expect(files.map(({ summary }) => summary?.quantization)).toEqual(["Q4_K_M"]);
});

test("options of a file are its own and survive a restart, and whoever watches sees them", async () => {
  const { client, modelsFolder, dataFolder, close } = await openLibrary();
  write(join(modelsFolder, "a.gguf"), qwen(15));
  write(join(modelsFolder, "b.gguf"), qwen(7));
  const [first] = await filesOf(client);
  const modelId = String(first?.id);
  const events = await client.models.watch();
  await events.next();
  const options = { ...defaultLoadOptions, keyType: "q8_0" as const };
  expect(await client.models.updateFile({ modelId, patch: { keyType: "q8_0" } })).toEqual(options);
  const optionsOf = (files: ModelFile[]) => files.find(({ id }) => id === modelId)?.loadOptions.keyType;
  await until(events, (files) => optionsOf(files) === "q8_0");
  await close();
  const again = await openLibrary({ dataFolder });
  const files = await filesOf(again.client);
  expect(files.map(({ id, loadOptions }) => [id === modelId, loadOptions])).toContainEqual([true, options]);
  expect(files.map(({ id, loadOptions }) => [id === modelId, loadOptions])).toContainEqual([false, defaultLoadOptions]);
});

test("settings for what is not there are refused", async () => {
  const { client } = await openLibrary();
  const patch = {};
  await expect(client.models.updateFamily({ familyId: "none", patch })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(client.models.updateFile({ modelId: "none", patch })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("after a restart the list is whole at once, without reading a file again", async () => {
  const { client, modelsFolder, dataFolder, close } = await openLibrary();
  write(join(modelsFolder, "a.gguf"), qwen(15));
  writeFileSync(join(modelsFolder, "letter.gguf"), "Dear Sir or Madam, how are you today?");
  await filesOf(client);
  await close();
  const read = vi.fn<ModelReader["read"]>();
  const modelReader = { read, hashStep: () => new Promise<null>(() => undefined), close: () => Promise.resolve() };
  const again = await openLibrary({ dataFolder, modelReader });
  expect(await again.client.models.list()).toMatchObject([
    { name: "letter", problem: { code: "MODEL_INVALID" } },
    { name: "Qwen3 4B", summary: { quantization: "Q4_K_M" } },
  ]);
  expect(read).not.toHaveBeenCalled();
});

test("the very same file in two folders is listed once, with both places, and answers under both ids", async () => {
  const { client, modelsFolder } = await openLibrary();
  const own = write(join(modelsFolder, "a.gguf"), qwen(15));
  const elsewhere = join(temporaryFolder(), "copy.gguf");
  mkdirSync(dirname(elsewhere), { recursive: true });
  copyFileSync(own, elsewhere);
  utimesSync(elsewhere, 1, 1);
  const { id: copyId } = await client.models.add({ path: elsewhere });
  const [file, ...others] = await filesOf(client, (files) => files.length === 1);
  expect(others).toEqual([]);
  expect(file).toMatchObject({
    path: own,
    source: "own",
    copies: [{ modelId: copyId, path: elsewhere, source: "added" }],
  });
  expect(file?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect((await client.models.add({ path: elsewhere })).id).toBe(file?.id);
  const { id } = await client.conversations.create({ modelId: copyId });
  expect((await client.conversations.get({ conversationId: id })).conversation.modelId).toBe(copyId);
});

test("adapters and picture readers are listed as what they are, and are on no card", async () => {
  const { client, modelsFolder } = await openLibrary();
  write(join(modelsFolder, "a.gguf"), qwen(15));
  const others = { "lora.gguf": "adapter", "mmproj-a.gguf": "mmproj" };
  for (const [name, type] of Object.entries(others))
    writeFileSync(join(modelsFolder, name), ggufBytes({ "general.type": type, "general.architecture": "llama" }, []));
  const files = await filesOf(client);
  expect(files.map(({ kind, problem }) => [kind, problem?.code])).toEqual([
    ["adapter", "MODEL_INVALID"],
    ["projector", "MODEL_INVALID"],
    ["model", undefined],
  ]);
  expect((await cardsOf(client, () => true)).flatMap(({ levels }) => levels)).toHaveLength(1);
});

test("other programs' models are listed, answer, and are never removed", async () => {
  const folder = temporaryFolder();
  const path = write(join(folder, "someone", "qwen", "qwen.gguf"), qwen(15));
  const { client } = await openLibrary({ watchPlaces: [{ source: "lm-studio", folder }] });
  const [file] = await filesOf(client);
  const modelId = String(file?.id);
  expect(file).toMatchObject({ path, source: "lm-studio", isReadOnly: true });
  for (const deletesFile of [false, true])
    await expect(client.models.remove({ modelId, deletesFile })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("LM Studio") as string,
    });
  expect(existsSync(path)).toBe(true);
  expect((await client.models.add({ path })).id).toBe(modelId);
});

test("a folder is watched from the moment it is chosen, and no longer than that", async () => {
  const folder = temporaryFolder();
  write(join(folder, "qwen.gguf"), qwen(15));
  const { client } = await openLibrary();
  const events = await client.models.watch();
  expect((await events.next()).value).toEqual([]);
  await client.settings.update({ watchFolders: [folder] });
  await until(events, (files) => files[0]?.source === "watched");
  await client.settings.update({ watchFolders: [] });
  await until(events, (files) => files.length === 0);
});

test("a file of the models folder is removed with its file only, an added one leaves the list and stays", async () => {
  const { client, modelsFolder } = await openLibrary();
  const own = write(join(modelsFolder, "own.gguf"), qwen(15));
  const added = write(join(temporaryFolder(), "added.gguf"), qwen(7));
  const { id: addedId } = await client.models.add({ path: added });
  const modelId = String((await client.models.list()).find(({ path }) => path === own)?.id);
  await expect(client.models.remove({ modelId })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(existsSync(own)).toBe(true);
  await client.models.remove({ modelId, deletesFile: true });
  await client.models.remove({ modelId: addedId });
  expect([own, added].map((path) => existsSync(path))).toEqual([false, true]);
  expect(await client.models.list()).toEqual([]);
  await expect(client.models.remove({ modelId })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a folder that cannot be read is said once, and the others are listed", async () => {
  // A link to itself cannot be followed, whoever asks.
  const folder = join(temporaryFolder(), "loop");
  mkdirSync(dirname(folder), { recursive: true });
  symlinkSync(folder, folder);
  const { client, modelsFolder } = await openLibrary({ watchPlaces: [{ source: "lm-studio", folder }] });
  write(join(modelsFolder, "a.gguf"), qwen(15));
  await client.models.list();
  expect(await filesOf(client)).toHaveLength(1);
  const { notices } = await client.status.get();
  expect(notices.map(({ error }) => [error.code, error.message.includes(folder)])).toEqual([["STORAGE_FAILED", true]]);
});
