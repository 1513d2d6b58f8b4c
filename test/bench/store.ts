/** What the store costs with as much in it as somebody writes in years. Medians, on the disk of the temporary folder. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src-main/store/open-store.ts";
import { sampleReport } from "../helpers/sample-report.ts";
import { sampleText } from "../helpers/sample-text.ts";
import { seedStore } from "../helpers/seed-store.ts";

const conversations = 2_000;
const messagesEach = 50;
const longThread = 2_000;
const rounds = 31;

type Store = ReturnType<typeof openStore>["store"];

interface Measurement {
  readonly what: string;
  readonly firstMs: number;
  readonly medianMs: number;
  readonly worstMs: number;
}

/** `action` is timed, what `prepare` makes for it is not. */
function measure<Prepared>(what: string, prepare: () => Prepared, action: (prepared: Prepared) => void): Measurement {
  const times = Array.from({ length: rounds }, () => {
    const prepared = prepare();
    const startedAt = performance.now();
    action(prepared);
    return performance.now() - startedAt;
  });
  const sorted = times.toSorted((a, b) => a - b);
  const [firstMs = NaN] = times;
  return { what, firstMs, medianMs: sorted[Math.floor(rounds / 2)] ?? NaN, worstMs: sorted.at(-1) ?? NaN };
}

const nothing = (): void => undefined;

function measureReading({ conversations, messages }: Store, longId: string, shortId: string): Measurement[] {
  const [first] = messages.activePath(longId);
  return [
    measure(`list of ${conversations.list().length} conversations`, nothing, () => conversations.list()),
    measure(`thread of ${messagesEach} messages`, nothing, () => messages.activePath(shortId)),
    measure(`thread of ${longThread} messages`, nothing, () => messages.activePath(longId)),
    measure(
      `prompt of ${longThread} messages`,
      () => conversations.get(longId).activeLeafId,
      (id) => messages.prompt(String(id)),
    ),
    measure(
      `newest leaf of ${longThread} messages`,
      () => String(first?.id),
      (id) => messages.newestLeaf(id),
    ),
    measure("search for a frequent word", nothing, () => conversations.search("window")),
  ];
}

function measureWriting({ conversations, messages }: Store): Measurement[] {
  const conversationId = conversations.create({}).id;
  const progress = { content: sampleText(1, 700), tokens: Array.from({ length: 1_000 }, (_, index) => index) };
  const user = () => messages.addUserMessage({ conversationId, parentId: null, content: sampleText(2, 30) });
  const answer = () => messages.addAnswer({ conversationId, parentId: user().id, modelName: "model.gguf" });
  return [
    measure("user's message", nothing, user),
    measure("checkpoint of 1,000 tokens", answer, ({ id }) => {
      messages.checkpoint(id, progress);
    }),
    measure("end of an answer, with its report", answer, ({ id }) => {
      messages.finish(id, { ...progress, status: "complete", error: null, report: sampleReport() });
    }),
  ];
}

function measureIn(folder: string): { sizeBytes: number; measurements: Measurement[] } {
  const sizes = [...Array.from({ length: conversations - 1 }, () => messagesEach), longThread];
  const ids = seedStore(folder, sizes);
  const opening = measure("opening", nothing, () => {
    openStore({ folder }).store.close();
  });
  const { store } = openStore({ folder });
  const reading = measureReading(store, String(ids.at(-1)), String(ids[0]));
  const measurements = [opening, ...reading, ...measureWriting(store)];
  store.close();
  return { sizeBytes: statSync(join(folder, "reprise.db")).size, measurements };
}

function print({ sizeBytes, measurements }: ReturnType<typeof measureIn>): void {
  console.log(
    `${conversations} conversations of ${messagesEach} messages and one of ${longThread}, ${(sizeBytes / 1e6).toFixed(0)} MB`,
  );
  console.log(`${"".padEnd(36)}${["median", "first", "worst"].map((name) => name.padStart(10)).join("")}  ms`);
  for (const { what, medianMs, firstMs, worstMs } of measurements) {
    console.log(what.padEnd(36) + [medianMs, firstMs, worstMs].map((time) => time.toFixed(2).padStart(10)).join(""));
  }
}

/** Prints a table and returns what it was made from. */
export function run(): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-"));
  try {
    const result = measureIn(folder);
    print(result);
    return Promise.resolve({ bench: "store", conversations, messagesEach, longThread, rounds, ...result });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
