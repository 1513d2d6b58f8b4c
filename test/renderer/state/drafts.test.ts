import { describe, expect, test } from "vitest";
import { Drafts } from "../../../src-renderer/state/drafts.svelte.ts";
import { LocalStore } from "../../../src-renderer/state/local-store.ts";
import { memoryStorage } from "../../helpers/memory-storage.ts";

function drafts() {
  const storage = memoryStorage();
  /** The drafts of a page that was just loaded. */
  const reloaded = () => new Drafts(new LocalStore(storage));
  return { page: reloaded(), reloaded, storage };
}

describe("a draft", () => {
  test("is found again after a reload, each in its place", () => {
    const { page, reloaded } = drafts();
    page.set("c1", "Hello");
    page.set("new", "Something else");
    expect(reloaded().get("c1")).toBe("Hello");
    expect(reloaded().get("new")).toBe("Something else");
    expect(reloaded().get("c2")).toBe("");
  });

  test("leaves nothing behind when it is emptied", () => {
    const { page, storage } = drafts();
    page.set("c1", "Hello");
    page.set("c1", "");
    expect(storage.length).toBe(0);
  });

  test("leaves the field when it is sent, and the storage only when it has arrived", () => {
    const { page, reloaded } = drafts();
    page.set("c1", "Hello");
    expect(page.take("c1")).toBe("Hello");
    expect(page.get("c1")).toBe("");
    expect(reloaded().get("c1")).toBe("Hello");
    page.sent("c1");
    expect(reloaded().get("c1")).toBe("");
  });

  test("comes back where sending failed, before what was typed meanwhile", () => {
    const { page, reloaded } = drafts();
    page.set("c1", "Hello");
    page.take("c1");
    page.set("c1", "and more");
    page.failed("c1");
    expect(page.get("c1")).toBe("Hello\nand more");
    expect(reloaded().get("c1")).toBe("Hello\nand more");
  });

  test("moves on with the conversation that begins with it", () => {
    const { page, reloaded } = drafts();
    page.set("new", "Hello");
    page.move("new", "c1");
    expect(page.get("new")).toBe("");
    expect(reloaded().get("c1")).toBe("Hello");
  });

  test("is kept in memory where the browser's storage is full", () => {
    const full = memoryStorage();
    full.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    const page = new Drafts(new LocalStore(full));
    page.set("c1", "Hello");
    expect(page.get("c1")).toBe("Hello");
  });
});
