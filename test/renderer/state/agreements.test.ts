import { expect, test } from "vitest";
import type { Agreement, AgreementEvent } from "../../../src-main/contract/agreement.ts";
import { Agreements } from "../../../src-renderer/state/agreements.svelte.ts";
import { Problems } from "../../../src-renderer/state/problems.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";

const place = { conversationId: "c", referenceId: "fine" };
const figures = { tokens: 4, agreeing: 3, share: 0.75, low: 0.3, high: 0.95 };
const agreementOf = (modelId: string): Agreement => {
  return { ...place, modelId, total: figures, answers: [{ messageId: "m", figures }], allAnswers: 1 };
};
const progress: Extract<AgreementEvent, { type: "progress" }> = {
  type: "progress",
  modelId: "coarse",
  phase: "reading",
  doneTokens: 0,
  totalTokens: 100,
  levelsLeft: 0,
};

test("levels are measured one after the other, and what came of them is known", async () => {
  const asked: string[] = [];
  const agreement = async function* ({ modelId }: { modelId: string }) {
    asked.push(modelId);
    yield await Promise.resolve({ type: "result", agreement: agreementOf(modelId) } as const);
  };
  const agreements = new Agreements(await openConnection({ models: { agreement } }), new Problems());
  await agreements.measure(place, ["coarse", "small"]);
  expect(asked).toEqual(["coarse", "small"]);
  expect(agreements.of(place, "coarse")).toEqual(agreementOf("coarse"));
  expect(agreements.of({ ...place, conversationId: "other" }, "coarse")).toBeNull();
  expect(agreements.measuring).toBeNull();
});

test("what main knows already is looked up", async () => {
  const connection = await openConnection({
    models: { knownAgreements: () => Promise.resolve([agreementOf("coarse")]) },
  });
  const agreements = new Agreements(connection, new Problems());
  await agreements.look(place);
  expect(agreements.of(place, "coarse")?.total.share).toBe(0.75);
});

test("one can be cancelled, which is no problem, and another be measured then", async () => {
  const problems = new Problems();
  const seen = Promise.withResolvers<undefined>();
  const agreement = async function* (_: unknown, { signal }: { signal: AbortSignal }) {
    yield progress;
    seen.resolve(undefined);
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(new Error("aborted"));
      });
    });
  };
  const agreements = new Agreements(await openConnection({ models: { agreement } }), problems);
  const measured = agreements.measure(place, ["coarse"]);
  await seen.promise;
  expect(agreements.measuring).toMatchObject({ modelId: "coarse", progress });
  agreements.cancel();
  await measured;
  expect(agreements.measuring).toBeNull();
  expect(problems.list).toEqual([]);
});
