import { describe, expect, test } from "vitest";
import { ModelGate } from "../../../src-main/app/model-gate.ts";

const never = new AbortController().signal;

/** Enters and notes when it was let in. */
function enter(gate: ModelGate, path: string, log: string[], name = path) {
  return gate.enter(path, never).then((leave) => {
    log.push(name);
    return leave;
  });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("answers of one model share it", async () => {
  const gate = new ModelGate();
  const log: string[] = [];
  await Promise.all([enter(gate, "a", log), enter(gate, "a", log)]);
  expect(log).toEqual(["a", "a"]);
});

test("another model waits until everybody has left", async () => {
  const gate = new ModelGate();
  const log: string[] = [];
  const [leaveOne, leaveOther] = await Promise.all([enter(gate, "a", log), enter(gate, "a", log)]);
  const other = enter(gate, "b", log);
  leaveOne();
  await settled();
  expect(log).toEqual(["a", "a"]);
  leaveOther();
  await other;
  expect(log).toEqual(["a", "a", "b"]);
});

test("nobody overtakes who waits for another model", async () => {
  const gate = new ModelGate();
  const log: string[] = [];
  const leave = await enter(gate, "a", log, "first");
  const other = enter(gate, "b", log, "second");
  const late = enter(gate, "a", log, "third");
  leave();
  (await other)();
  await late;
  expect(log).toEqual(["first", "second", "third"]);
});

test("who gives up lets the others by", async () => {
  const gate = new ModelGate();
  const log: string[] = [];
  const giveUp = new AbortController();
  await enter(gate, "a", log, "first");
  const given = gate.enter("b", giveUp.signal);
  const late = enter(gate, "a", log, "second");
  giveUp.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  await late;
  expect(log).toEqual(["first", "second"]);
});

test("who has given up before is not let in", async () => {
  const gate = new ModelGate();
  await expect(gate.enter("a", AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  await enter(gate, "b", []);
});

describe("a guest", () => {
  test("comes in beside answers of the same model, and where nobody is", async () => {
    const gate = new ModelGate();
    const guest = await gate.enterAsGuest("a", never);
    expect(guest?.wanted.aborted).toBe(false);
    await enter(gate, "a", []);
    expect(await gate.enterAsGuest("a", never)).not.toBeNull();
    expect(guest?.wanted.aborted).toBe(false);
  });

  test("does not wait for answers of another model", async () => {
    const gate = new ModelGate();
    const leave = await enter(gate, "a", []);
    expect(await gate.enterAsGuest("b", never)).toBeNull();
    const waiting = enter(gate, "b", []);
    expect(await gate.enterAsGuest("a", never)).toBeNull();
    leave();
    (await waiting)();
  });

  test("is asked to go when another model is wanted, by an answer or by another guest", async () => {
    const gate = new ModelGate();
    const first = await gate.enterAsGuest("a", never);
    const second = gate.enterAsGuest("b", never);
    expect(first?.wanted.aborted).toBe(true);
    first?.leave();
    const guest = await second;
    expect(guest?.wanted.aborted).toBe(false);
    const answer = enter(gate, "c", []);
    expect(guest?.wanted.aborted).toBe(true);
    guest?.leave();
    (await answer)();
  });

  test("that waited is asked to go at once where an answer waits behind it", async () => {
    const gate = new ModelGate();
    const first = await gate.enterAsGuest("a", never);
    const second = gate.enterAsGuest("b", never);
    const answer = enter(gate, "a", []);
    first?.leave();
    const guest = await second;
    expect(guest?.wanted.aborted).toBe(true);
    guest?.leave();
    (await answer)();
  });
});

describe("who can wait until nobody is in the way", () => {
  test("waits for those of another model, and sends no guest away", async () => {
    const gate = new ModelGate();
    const guest = await gate.enterAsGuest("a", never);
    let isOpen = false;
    const open = gate.whenOpenFor("b", never).then(() => {
      isOpen = true;
    });
    await gate.whenOpenFor("a", never);
    await settled();
    expect([isOpen, guest?.wanted.aborted]).toEqual([false, false]);
    guest?.leave();
    await open;
  });

  test("lets those by that wait for their turn", async () => {
    const gate = new ModelGate();
    const log: string[] = [];
    const leave = await enter(gate, "a", log);
    const other = enter(gate, "b", log);
    const open = gate.whenOpenFor("a", never).then(() => log.push("open"));
    leave();
    (await other)();
    await open;
    expect(log).toEqual(["a", "b", "open"]);
  });

  test("may give up", async () => {
    const gate = new ModelGate();
    await enter(gate, "a", []);
    const giveUp = new AbortController();
    const open = gate.whenOpenFor("b", giveUp.signal);
    giveUp.abort(new Error("enough"));
    await expect(open).rejects.toThrow("enough");
  });
});
