import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import { newId } from "../../../src-main/contract/id.ts";
import type { PromptPreview, PromptPreviewInput } from "../../../src-main/contract/prompt-preview.ts";
import { ask, openTestApp, writeModel } from "../../helpers/open-test-app.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

async function openApp() {
  const app = await openTestApp();
  const [file] = await app.client.models.list();
  const modelId = String(file?.id);
  return { ...app, modelId, sample: { kind: "sample", modelId } as const };
}

const preview = (client: AppClient, of: PromptPreviewInput["of"], chatTemplate?: string | null) =>
  client.models.previewPrompt({ of, ...(chatTemplate !== undefined && { chatTemplate }) });

const textOf = ({ prompt }: PromptPreview) => prompt?.text;

describe("the prompt of a conversation", () => {
  test("is that of its last question, of one answer, or of what is typed", async () => {
    const { client } = await openApp();
    const { id: conversationId } = await client.conversations.create({ systemPrompt: "Be kind." });
    const first = await ask(client, "one", conversationId);
    await ask(client, "two", conversationId);
    const opening = "system: Be kind.user: one";
    const conversation = { kind: "conversation", conversationId, text: "" } as const;
    const last = await preview(client, conversation);
    expect(textOf(last)).toMatch(new RegExp(`^${opening}assistant: .+user: twoassistant:$`));
    expect(last).toMatchObject({ droppedMessages: 0, failure: null, room: { isFitting: true } });
    expect(textOf(await preview(client, { kind: "message", messageId: first.id }))).toBe(`${opening}assistant:`);
    const question = { kind: "message", messageId: String(first.parentId) } as const;
    expect(textOf(await preview(client, question))).toBe(`${opening}assistant:`);
    expect(textOf(await preview(client, { ...conversation, text: "three" }))).toMatch(/user: threeassistant:$/);
  });

  test("is what it would begin with, while nothing is said", async () => {
    const { client, sample } = await openApp();
    const { familyId } = await preview(client, sample);
    await client.models.updateFamily({ familyId: String(familyId), patch: { systemPrompt: "Be kind." } });
    const of = { kind: "conversation", conversationId: newId(), newConversation: {} } as const;
    expect(textOf(await preview(client, { ...of, text: "" }))).toMatch(/^system: Be kind.user: .+assistant:$/);
    expect(textOf(await preview(client, { ...of, text: "Hi" }))).toBe("system: Be kind.user: Hiassistant:");
  });

  test("leaves out what does not fit, where the conversation does", async () => {
    const { client, modelId } = await openApp();
    await client.models.load({ modelId });
    const long = "word ".repeat(300).trim();
    const ids = { stop: "", drop: "" };
    for (const [name, overflowPolicy] of [
      ["stop", "stop"],
      ["drop", "drop-oldest"],
    ] as const) {
      const { id } = await client.conversations.create({ overflowPolicy });
      await ask(client, long, id);
      ids[name] = id;
    }
    const of = (conversationId: string) => ({ kind: "conversation", conversationId, text: long }) as const;
    const dropped = await preview(client, of(ids.drop));
    expect(dropped).toMatchObject({ droppedMessages: 2, room: { isFitting: true } });
    const whole = await preview(client, of(ids.stop));
    expect(whole).toMatchObject({ droppedMessages: 0, room: { isFitting: false } });
    expect(whole.prompt?.messages).toHaveLength(3);
  });

  test("of a conversation or a model that is not there is not found", async () => {
    const { client } = await openApp();
    const of = { kind: "conversation", conversationId: newId(), text: "" } as const;
    await expect(preview(client, of)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(preview(client, { kind: "sample", modelId: "gone" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(preview(client, { kind: "message", messageId: "gone" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a template", () => {
  test("is the stored one, a draft, or the file's own, and looking stores nothing", async () => {
    const { client, sample } = await openApp();
    const before = await preview(client, sample);
    expect(before).toMatchObject({ ownTemplate: "echo", override: null, inUse: { template: "model" } });
    const draft = await preview(client, sample, "<draft>");
    expect(textOf(draft)).toBe(`<draft>${textOf(before)}`);
    expect(await preview(client, sample)).toEqual(before);
    await client.models.updateFamily({ familyId: String(before.familyId), patch: { chatTemplate: "<stored>" } });
    const stored = await preview(client, sample);
    expect(stored).toMatchObject({ override: "<stored>", inUse: { template: "override" } });
    expect(textOf(stored)).toBe(`<stored>${textOf(before)}`);
    expect(textOf(await preview(client, sample, null))).toBe(textOf(before));
  });

  test("that fails is a result with its line while it is a draft, and makes way for the file's own otherwise", async () => {
    const { client, sample } = await openApp();
    const draft = await preview(client, sample, "broken");
    expect(draft).toMatchObject({ prompt: null, failure: { reason: "it is broken", line: 1 } });
    await client.models.updateFamily({ familyId: String(draft.familyId), patch: { chatTemplate: "broken" } });
    expect(await preview(client, sample)).toMatchObject({ inUse: { template: "model" }, failure: null });
  });
});

test("a file that brought the engine down is not touched for a preview", async () => {
  const dataFolder = temporaryFolder();
  writeModel(join(dataFolder, "models"), "crash.gguf");
  const { client } = await openTestApp({ dataFolder });
  const files = await client.models.list();
  const modelId = String(files.find(({ path }) => path.endsWith("crash.gguf"))?.id);
  await expect(client.models.load({ modelId })).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
  await expect(preview(client, { kind: "sample", modelId })).rejects.toMatchObject({ code: "MODEL_QUARANTINED" });
});
