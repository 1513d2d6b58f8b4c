import { expect, test } from "vitest";
import { Pace } from "../../../src-renderer/state/pace.ts";

test("the time left follows from the rate so far, without what was there at first", () => {
  const pace = new Pace();
  pace.see(200, 1_000);
  pace.see(300, 2_000);
  expect(pace.leftMs(500)).toBe(2_000);
  pace.see(400, 4_000);
  expect(pace.leftMs(500)).toBe(1_500);
});

test("nothing is said of it before there is a rate", () => {
  const pace = new Pace();
  expect(pace.leftMs(500)).toBeNull();
  pace.see(200, 1_000);
  expect(pace.leftMs(500)).toBeNull();
  pace.see(210, 1_100);
  expect(pace.leftMs(500)).toBeNull();
  pace.see(210, 5_000);
  expect(pace.leftMs(500)).not.toBeNull();
});

test("what begins anew has a rate of its own", () => {
  const pace = new Pace();
  pace.see(0, 0);
  pace.see(400, 1_000);
  pace.see(0, 2_000);
  expect(pace.leftMs(500)).toBeNull();
  pace.see(100, 3_000);
  expect(pace.leftMs(500)).toBe(4_000);
  pace.forget();
  expect(pace.leftMs(500)).toBeNull();
});

test("what is more than it should be is done", () => {
  const pace = new Pace();
  pace.see(0, 0);
  pace.see(600, 1_000);
  expect(pace.leftMs(500)).toBe(0);
});
