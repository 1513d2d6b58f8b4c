import { expect, test } from "vitest";
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
