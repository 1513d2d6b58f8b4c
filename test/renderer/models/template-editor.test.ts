import { ORPCError } from "@orpc/client";
import { describe, expect, test, vi } from "vitest";
import type { PromptPreview, PromptPreviewInput } from "../../../src-main/contract/prompt-preview.ts";
import { TemplateEditor } from "../../../src-renderer/models/template-editor.svelte.ts";
import { Drafts } from "../../../src-renderer/state/drafts.svelte.ts";
import { LocalStore } from "../../../src-renderer/state/local-store.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { memoryStorage } from "../../helpers/memory-storage.ts";

const of = { kind: "sample", modelId: "m1" } as const;

function preview(changes: Partial<PromptPreview> = {}): PromptPreview {
  return {
    modelId: "m1",
    modelName: "Tiny",
    familyId: "f1",
    override: null,
    droppedMessages: 0,
    ownTemplate: "own",
    inUse: { template: "model" },
    prompt: { text: "", tokens: [], messages: [], answerStart: 0 },
    failure: null,
    room: null,
    ...changes,
  };
}

/** An editor whose previews the test answers; a template with the word `broken` fails. */
async function openEditor(stored: Partial<PromptPreview> = {}, drafts = new Drafts(new LocalStore(memoryStorage()))) {
  const asked: PromptPreviewInput[] = [];
  const updateFamily = vi.fn<(input: object) => Promise<object>>(() => Promise.resolve({}));
  const previewPrompt = vi.fn<(input: PromptPreviewInput) => Promise<PromptPreview>>((input) => {
    asked.push(input);
    const isBroken = input.chatTemplate?.includes("broken") === true;
    const failed = { prompt: null, failure: { reason: "it is broken", line: 2 } };
    return Promise.resolve(preview({ ...stored, ...(isBroken && failed) }));
  });
  const connection = await openConnection({ models: { previewPrompt, updateFamily } });
  const editor = new TemplateEditor(of, { connection, drafts });
  await vi.waitUntil(() => editor.preview !== null);
  return { editor, asked, drafts, updateFamily, previewPrompt };
}

const settled = (editor: TemplateEditor) => vi.waitUntil(() => !editor.isBehind);

describe("the template editor", () => {
  test("shows what is stored, which is nothing to save", async () => {
    const { editor, asked } = await openEditor({ override: "mine" });
    expect(asked).toEqual([{ of }]);
    expect([editor.text, editor.isOwn, editor.isChanged, editor.canSave]).toEqual(["mine", false, false, false]);
  });

  test("tries what is typed, and saves it once it is known to work", async () => {
    const { editor, asked, updateFamily, drafts } = await openEditor();
    editor.type("other");
    expect([editor.text, editor.canSave]).toEqual(["other", false]);
    await settled(editor);
    expect(asked.at(-1)).toEqual({ of, chatTemplate: "other" });
    expect(editor.canSave).toBe(true);
    expect(await editor.save()).toBe(true);
    expect(updateFamily.mock.calls[0]?.[0]).toEqual({ familyId: "f1", patch: { chatTemplate: "other" } });
    expect(drafts.get("template-f1")).toBe("");
  });

  test("tells what is wrong, and saves nothing of that", async () => {
    const { editor } = await openEditor();
    editor.type("broken");
    await settled(editor);
    expect(editor.preview?.failure).toEqual({ reason: "it is broken", line: 2 });
    expect(editor.canSave).toBe(false);
  });

  test("keeps what is typed when it is closed, and shows it the next time", async () => {
    const { editor, drafts } = await openEditor();
    editor.type("half");
    editor.close();
    const again = await openEditor({}, drafts);
    expect(again.editor.text).toBe("half");
    await settled(again.editor);
    expect(again.asked.at(-1)).toEqual({ of, chatTemplate: "half" });
  });

  test("bears an empty field, which cannot be saved", async () => {
    const { editor, asked } = await openEditor();
    editor.type("");
    await settled(editor);
    expect([editor.text, editor.canSave]).toEqual(["", false]);
    expect(asked.at(-1)).toEqual({ of });
  });

  test("goes back to the file's own, which is stored as nothing", async () => {
    const { editor, updateFamily } = await openEditor({ override: "mine" });
    editor.useOwn();
    await settled(editor);
    expect([editor.text, editor.isOwn, editor.canSave]).toEqual(["own", true, true]);
    await editor.save();
    expect(updateFamily.mock.calls[0]?.[0]).toEqual({ familyId: "f1", patch: { chatTemplate: null } });
  });

  test("changes nothing for a file that does not say which model it is", async () => {
    const { editor } = await openEditor({ familyId: null });
    editor.type("other");
    expect([editor.text, editor.isChanged]).toEqual(["own", false]);
    expect(await editor.save()).toBe(false);
  });

  test("says why saving failed, and keeps what was typed", async () => {
    const { editor, updateFamily, drafts } = await openEditor();
    updateFamily.mockRejectedValueOnce(
      new ORPCError("STORAGE_FAILED", { message: "The disk is full.", data: { reason: "disk-full", detail: "" } }),
    );
    editor.type("other");
    await settled(editor);
    expect(await editor.save()).toBe(false);
    expect(editor.error?.code).toBe("STORAGE_FAILED");
    expect([editor.text, drafts.get("template-f1")]).toEqual(["other", "other"]);
  });

  test("says why there is nothing to show, and tries again when asked to", async () => {
    const { editor, previewPrompt } = await openEditor();
    previewPrompt.mockRejectedValueOnce(new ORPCError("ENGINE_STOPPED", { message: "It is closing.", data: {} }));
    editor.retry();
    await vi.waitUntil(() => editor.error !== null);
    expect(editor.error?.code).toBe("ENGINE_STOPPED");
    editor.retry();
    await vi.waitUntil(() => editor.error === null);
    expect(editor.preview?.failure).toBeNull();
  });
});
