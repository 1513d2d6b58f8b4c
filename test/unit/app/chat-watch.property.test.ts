import fc from "fast-check";
import { expect, test } from "vitest";
import type { AppClient, ChatEvent } from "../../../src-main/contract/app-contract.ts";
import { reduceThread, type ThreadState } from "../../../src-renderer/state/thread-reducer.ts";
import { openTestApp, until } from "../../helpers/open-test-app.ts";

/** Folds what it reads of a conversation, and looks anew where that does not follow, as a window does. */
class Reader {
  #state: ThreadState = { name: "loading" };
  #events: AsyncIterator<ChatEvent> | null = null;
  readonly #watch: () => Promise<AsyncIterator<ChatEvent>>;

  constructor(client: AppClient, conversationId: string) {
    this.#watch = () => client.chat.watch({ conversationId });
  }

  get seen() {
    if (this.#state.name !== "ready") throw new Error(`The thread is ${this.#state.name}.`);
    const { conversation, messages, generation } = this.#state;
    return { conversation, messages, generation };
  }

  async readOne(): Promise<void> {
    this.#events ??= await this.#watch();
    const next = reduceThread(this.#state, await until(this.#events, () => true));
    if (next !== null) {
      this.#state = next;
      return;
    }
    await this.#events.return?.();
    this.#events = null;
    await this.readOne();
  }

  async readTo(title: string): Promise<void> {
    while (this.seen.conversation.title !== title) await this.readOne();
  }
}

/** The second text is so long that a reader which does not read it gets the thread instead. */
const text = fc.constantFrom("hello", "word".repeat(5_000), "/count 5 0", "/fail", "/full 2");
/** Which of the messages there ever were, as a share of their number. */
const at = fc.double({ min: 0, max: 0.999, noNaN: true });
const step = fc.record({
  act: fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant("send" as const), text }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("edit" as const), at, text }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("regenerate" as const), at }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("select" as const), at }) },
  ),
  /** What a slow reader takes: nothing, one event while the answer is written, or everything when that has ended. */
  slowly: fc.constantFrom("nothing", "one", "everything"),
});
type Act = typeof step extends fc.Arbitrary<{ act: infer Act }> ? Act : never;

/** Every message that was ever seen in a conversation: where an act may begin. */
type Known = Map<string, { readonly parentId: string | null }>;

async function perform(client: AppClient, conversationId: string, known: Known, act: Act): Promise<void> {
  const place = act.type === "send" ? undefined : [...known][Math.floor(act.at * known.size)];
  if (act.type === "send" || place === undefined) {
    await client.chat.send({ conversationId, text: act.type === "send" ? act.text : "hello" });
    return;
  }
  const [messageId, { parentId }] = place;
  if (act.type === "regenerate") await client.chat.regenerate({ messageId });
  else if (act.type === "select") await client.conversations.selectBranch({ conversationId, messageId });
  else await client.chat.send({ conversationId, text: act.text, parentId });
}

/** The thread as it is stored, once no answer is being written. */
async function settledThread(client: AppClient, conversationId: string) {
  const events = await client.chat.watch({ conversationId });
  await until(events, ({ type, ...event }) => type === "finished" || ("thread" in event && event.generation === null));
  await events.return();
  return { ...(await client.conversations.get({ conversationId })), generation: null };
}

test("whatever is sent, answered again, changed and chosen, readers see the thread as it is stored", async () => {
  const { client } = await openTestApp();
  const steps = fc.array(step, { minLength: 1, maxLength: 10 });
  const property = fc.asyncProperty(steps, async (steps) => {
    const { id: conversationId } = await client.conversations.create({ title: "0" });
    const known: Known = new Map();
    const [fast, slow] = [new Reader(client, conversationId), new Reader(client, conversationId)];
    await Promise.all([fast.readOne(), slow.readOne()]);
    for (const [index, { act, slowly }] of steps.entries()) {
      await perform(client, conversationId, known, act);
      if (slowly === "one") await slow.readOne();
      const { messages } = await settledThread(client, conversationId);
      for (const message of messages) known.set(message.id, message);
      const title = `${index + 1}`;
      await client.conversations.update({ conversationId, patch: { title } });
      const stored = await settledThread(client, conversationId);
      await fast.readTo(title);
      expect(fast.seen).toEqual(stored);
      if (slowly !== "everything" && index < steps.length - 1) continue;
      await slow.readTo(title);
      expect(slow.seen).toEqual(stored);
    }
  });
  await fc.assert(property, { numRuns: 30 });
});
