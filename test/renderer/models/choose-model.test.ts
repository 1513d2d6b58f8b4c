import { describe, expect, test, vi } from "vitest";
import { chooseDigit, chooseModel } from "../../../src-renderer/models/choose-model.ts";
import { levelFiles, levelsApp } from "../../helpers/levels-app.ts";

const failed = { name: "failed", error: { code: "ENGINE_CRASHED", message: "It crashed.", data: {} } } as const;

describe("the choice of a model", () => {
  test("by a digit switches the open conversation", async () => {
    const { app, calls } = await levelsApp();
    chooseDigit(app, 2);
    expect(calls.switchModel.mock.calls.map(([input]) => input)).toEqual([{ conversationId: "c1", modelId: "q8" }]);
  });

  test("of what answers already, or by a digit that no level has, changes nothing", async () => {
    const { app, calls } = await levelsApp();
    chooseDigit(app, 1);
    chooseDigit(app, 9);
    expect(calls.switchModel).not.toHaveBeenCalled();
  });

  test("of what answers already goes on where the switch to it failed", async () => {
    const { app, calls, push } = await levelsApp();
    push({ type: "switching", seq: 1, switching: { modelId: "q4", phase: failed } });
    await vi.waitUntil(() => app.chat.ready?.switching !== null);
    await chooseModel(app, levelFiles.q4);
    expect(calls.switchModel).toHaveBeenCalledTimes(1);
  });

  test("of what answers already goes on where the switch to it was broken off", async () => {
    const { app, calls } = await levelsApp();
    const { ready } = app.chat;
    if (ready !== null) await app.declinedSwitch.decline(ready);
    await chooseModel(app, levelFiles.q4);
    expect(calls.switchModel).toHaveBeenCalledTimes(1);
    await chooseModel(app, levelFiles.q4);
    expect(calls.switchModel).toHaveBeenCalledTimes(1);
  });
});
