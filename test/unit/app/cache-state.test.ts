import { expect, test } from "vitest";
import { stateWithoutEngine } from "../../../src-main/app/cache-state.ts";
import { cacheStateSchema } from "../../../src-main/contract/cache.ts";
import { mixedCacheState } from "../../helpers/mixed-cache-state.ts";

const options = { cacheFolder: "/data", store: { isEnabled: true, budgetBytes: null }, pinned: ["k3"] };

test("before any engine ran nothing is known, which is a state like any other", () => {
  const state = stateWithoutEngine(options, null);
  expect(cacheStateSchema.parse(state)).toEqual(state);
  expect(state).toMatchObject({ cells: null, pinned: ["k3"], store: { isEnabled: true, budgetBytes: 0, blocks: 0 } });
});

test("after an engine what was stored still is, and nothing is in place or waiting any more", () => {
  const lastSeen = mixedCacheState();
  const state = stateWithoutEngine(options, lastSeen);
  expect(state.store).toEqual({ ...lastSeen.store, pendingBytes: 0 });
  expect(state).toMatchObject({ cells: null, runs: [], shortfalls: {} });
  expect(state.residency.map(({ state: place }) => place)).toEqual(["stored"]);
});

test("settings show as they are now", () => {
  const store = { isEnabled: false, budgetBytes: 1_000 };
  expect(stateWithoutEngine({ ...options, store }, mixedCacheState()).store).toMatchObject(store);
});
