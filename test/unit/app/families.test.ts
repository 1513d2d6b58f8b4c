/** What is set for a family: what new conversations begin with, and the template of all its levels. */
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import { defaultSampling } from "../../../src-main/contract/conversation.ts";
import { newId } from "../../../src-main/contract/id.ts";
import type { FamilySettingsPatch } from "../../../src-main/contract/model-settings.ts";
import { collect } from "../../helpers/collect.ts";
import { echoReader } from "../../helpers/echo-reader.ts";
import { ask, openTestApp, writeModel } from "../../helpers/open-test-app.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

/** Every file is a family of its own. */
function readerOfFamilies() {
  const reader = echoReader();
  return {
    ...reader,
    read: async (path: string) => {
      const facts = await reader.read(path);
      return { ...facts, traits: facts.traits && { ...facts.traits, familyId: basename(path), name: basename(path) } };
    },
  };
}

async function openFamilies(dataFolder = temporaryFolder()) {
  writeModel(join(dataFolder, "models"), "other.gguf");
  const app = await openTestApp({ dataFolder, modelReader: readerOfFamilies() });
  return { ...app, dataFolder, other: await idOf(app.client, "other.gguf") };
}

async function idOf(client: AppClient, name: string): Promise<string> {
  const files = await client.models.list();
  return String(files.find(({ path }) => basename(path) === name)?.id);
}

/** When the files have been looked into. */
async function setFamily(client: AppClient, familyId: string, patch: FamilySettingsPatch): Promise<void> {
  for await (const cards of await client.models.families()) if (cards.some(({ id }) => id === familyId)) break;
  await client.models.updateFamily({ familyId, patch });
}

const calm = { ...defaultSampling, temperature: 0.1 };
const wild = { ...defaultSampling, temperature: 2 };

describe("a new conversation", () => {
  test("begins with what is set for its model's family, and what was chosen for it wins", async () => {
    const { client, other } = await openFamilies();
    await setFamily(client, "echo.gguf", { systemPrompt: "Be kind.", sampling: calm });
    await setFamily(client, "other.gguf", { systemPrompt: "Be brief." });
    expect(await client.conversations.create({})).toMatchObject({ systemPrompt: "Be kind.", sampling: calm });
    const second = await client.conversations.create({ modelId: other });
    expect(second).toMatchObject({ systemPrompt: "Be brief.", sampling: defaultSampling });
    const chosen = await client.conversations.create({ systemPrompt: "", sampling: wild });
    expect(chosen).toMatchObject({ systemPrompt: "", sampling: wild });
    expect(await client.conversations.beginning({ modelId: null })).toEqual({
      systemPrompt: "Be kind.",
      sampling: calm,
    });
  });

  test("that is not begun is compared with what it would begin with", async () => {
    const { client, other } = await openFamilies();
    await setFamily(client, "echo.gguf", { systemPrompt: "Be kind.", sampling: calm });
    const [echo] = (await client.models.list()).filter(({ id }) => id !== other);
    const input = { conversationId: newId(), newConversation: {} };
    const asked = async (text: string) => {
      const events = await client.models.compare({ ...input, modelIds: [String(echo?.id), other], text });
      const said = (await collect(events)).flatMap((event) => (event.type === "delta" ? [event.text] : []));
      return said.map((each): unknown => JSON.parse(each));
    };
    const prompt = expect.objectContaining({ role: "system", content: "Be kind." }) as unknown;
    expect(await asked("/prompt")).toEqual([expect.arrayContaining([prompt]), expect.arrayContaining([prompt])]);
    expect(await asked("/request")).toMatchObject([
      { sampling: { temperature: 0.1 } },
      { sampling: { temperature: 0.1 } },
    ]);
  });

  test("begins so also where no file has been looked into since the start, and with the model of the settings", async () => {
    const first = await openFamilies();
    await setFamily(first.client, "other.gguf", { systemPrompt: "Be brief." });
    await first.client.settings.update({ modelId: first.other });
    await first.close();
    const { client } = await openTestApp({ dataFolder: first.dataFolder, modelReader: readerOfFamilies() });
    expect((await client.conversations.create({})).systemPrompt).toBe("Be brief.");
  });

  test("begins with the app's own where nothing is known of its model", async () => {
    const { client } = await openTestApp();
    expect(await client.conversations.create({ modelId: "gone" })).toMatchObject({
      systemPrompt: "",
      sampling: defaultSampling,
    });
  });

  test("gets the other family's with another model, but for what was chosen for it", async () => {
    const { client, other } = await openFamilies();
    await setFamily(client, "echo.gguf", { systemPrompt: "Be kind.", sampling: calm });
    await setFamily(client, "other.gguf", { systemPrompt: "Be brief." });
    const update = (conversationId: string) =>
      client.conversations.update({ conversationId, patch: { modelId: other } });
    const untouched = await client.conversations.create({});
    expect(await update(untouched.id)).toMatchObject({ systemPrompt: "Be brief.", sampling: defaultSampling });
    const chosen = await client.conversations.create({ systemPrompt: "Mine." });
    expect(await update(chosen.id)).toMatchObject({ systemPrompt: "Mine.", sampling: defaultSampling });
    const explicit = await client.conversations.create({});
    const patch = { modelId: other, systemPrompt: "Now." };
    expect(await client.conversations.update({ conversationId: explicit.id, patch })).toMatchObject(patch);
  });

  test("keeps what it has once it has begun, whatever is set and whichever model answers", async () => {
    const { client, other } = await openFamilies();
    await setFamily(client, "echo.gguf", { systemPrompt: "Be kind.", sampling: calm });
    const { id: conversationId } = await client.conversations.create({});
    await ask(client, "one", conversationId);
    await setFamily(client, "echo.gguf", { systemPrompt: "Be rude." });
    const changed = await client.conversations.update({ conversationId, patch: { modelId: other } });
    expect(changed).toMatchObject({ modelId: other, systemPrompt: "Be kind.", sampling: calm });
  });

  test("is measured with what it will begin with while its first message is typed", async () => {
    const { client } = await openFamilies();
    await setFamily(client, "echo.gguf", { systemPrompt: "Be very kind." });
    await client.models.load({ modelId: await idOf(client, "echo.gguf") });
    const draft = { conversationId: newId(), text: "one two", newConversation: {} };
    expect(await client.chat.measure(draft)).toMatchObject({ promptTokens: 5 });
    const chosen = { ...draft, newConversation: { systemPrompt: "Mine." } };
    expect(await client.chat.measure(chosen)).toMatchObject({ promptTokens: 3 });
  });
});

describe("a template set for a family", () => {
  test("is used by every level from the load on, and a change shows at once without another load", async () => {
    const dataFolder = temporaryFolder();
    const path = writeModel(join(dataFolder, "models"), "level.gguf");
    const { client } = await openTestApp({ dataFolder });
    const modelId = await idOf(client, basename(path));
    const engine = async () => (await client.status.get()).engine;
    await setFamily(client, "echofam0echo", { chatTemplate: "a template" });
    await client.models.load({ modelId });
    expect(await engine()).toMatchObject({ state: "ready", modelId, model: { template: "override" } });
    await setFamily(client, "echofam0echo", { chatTemplate: "a broken template" });
    expect(await engine()).toMatchObject({
      modelId,
      model: { template: "model", templateProblems: [{ from: "override", line: 1 }] },
    });
    await setFamily(client, "echofam0echo", { chatTemplate: null });
    expect(await engine()).toMatchObject({ modelId, model: { template: "model", templateReason: null } });
    await setFamily(client, "echofam0echo", { chatTemplate: "another" });
    await client.models.load({ modelId: await idOf(client, "echo.gguf") });
    expect(await engine()).toMatchObject({ model: { template: "override" } });
  });
});
