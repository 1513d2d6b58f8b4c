import { expect, test } from "vitest";
import ModelsCard from "../../../src-renderer/memory/models-card.svelte";
import { levelFiles, levelsApp } from "../../helpers/levels-app.ts";
import { sampleCacheState } from "../../helpers/sample-cache-state.ts";
import { showComponent } from "../../helpers/show-component.ts";

test("the models in memory are told with what each takes, also one that is not listed any more", async () => {
  const { app } = await levelsApp();
  const [resident] = sampleCacheState().models;
  if (resident === undefined) throw new Error("The sample has a model in memory.");
  const sizes = { weightsBytes: 100_000_000, cacheBytes: 20_000_000, computeBytes: 3_000_000 };
  const models = [
    { ...resident, ...sizes, path: levelFiles.q8.path },
    { ...resident, ...sizes, path: "/gone.gguf", isActive: false, usedCells: 0, inPlace: [] },
  ];
  const page = showComponent(app, ModelsCard, { models });
  const plain = (element: Element) => element.textContent.replaceAll(/\s+/g, " ").trim();
  const rows = [...page.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td")].map(plain));
  expect(rows).toEqual([
    [
      "SmolLM2 135M Instruct Q8_0 answers now · 1 conversation in place",
      ...["100 MB", "20.0 MB", "3.00 MB", "123 MB", "184 / 2,048"],
    ],
    ["/gone.gguf ready to go on at once", "100 MB", "20.0 MB", "3.00 MB", "123 MB", "0 / 2,048"],
  ]);
  expect(plain(page)).toContain("246 MB");
});
