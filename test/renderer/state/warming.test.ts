import { expect, test } from "vitest";
import { Warming } from "../../../src-renderer/state/warming.ts";

/** Main, which is done with an attempt when the test says so. */
function openWarming() {
  const attempts: { readonly id: string; readonly end: (isInterrupted: boolean) => void }[] = [];
  const warming = new Warming((id) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    attempts.push({ id, end: resolve });
    return promise;
  });
  const ids = () => attempts.map(({ id }) => id);
  const end = async (isInterrupted: boolean) => {
    attempts.at(-1)?.end(isInterrupted);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { warming, ids, end };
}

test("a conversation is put in place once, however often something changes", async () => {
  const { warming, ids, end } = openWarming();
  warming.see({ conversationId: "c1", isQuiet: false });
  await end(false);
  warming.see({ conversationId: "c1", isQuiet: true });
  warming.see({ conversationId: "c1", isQuiet: false });
  warming.see({ conversationId: "c1", isQuiet: true });
  expect(ids()).toEqual(["c1"]);
});

test("where an answer was in the way, it is put in place when that has ended, and not before", async () => {
  const { warming, ids, end } = openWarming();
  warming.see({ conversationId: "c1", isQuiet: false });
  await end(true);
  expect(ids()).toEqual(["c1"]);
  warming.see({ conversationId: "c1", isQuiet: true });
  expect(ids()).toEqual(["c1", "c1"]);
  await end(false);
  warming.see({ conversationId: "c1", isQuiet: false });
  warming.see({ conversationId: "c1", isQuiet: true });
  expect(ids()).toHaveLength(2);
});

test("an answer that ended before that was known is not missed", async () => {
  const { warming, ids, end } = openWarming();
  warming.see({ conversationId: "c1", isQuiet: false });
  warming.see({ conversationId: "c1", isQuiet: true });
  await end(true);
  expect(ids()).toEqual(["c1", "c1"]);
  // Whatever is still in the way, nothing has changed: it is not asked again and again.
  await end(true);
  expect(ids()).toHaveLength(2);
});

test("one that is not open any more is not asked for again", async () => {
  const { warming, ids, end } = openWarming();
  warming.see({ conversationId: "c1", isQuiet: false });
  await end(true);
  warming.see({ conversationId: "c2", isQuiet: false });
  await end(false);
  warming.see({ conversationId: "c2", isQuiet: true });
  expect(ids()).toEqual(["c1", "c2"]);
});

test("another model and back is a reason to put it in place anew", async () => {
  const { warming, ids, end } = openWarming();
  warming.see({ conversationId: "c1", isQuiet: true });
  await end(false);
  warming.see({ conversationId: null, isQuiet: true });
  warming.see({ conversationId: "c1", isQuiet: true });
  expect(ids()).toEqual(["c1", "c1"]);
});
