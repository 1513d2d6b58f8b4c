/**
 * `reprise cache`: what the KV cache holds, whether what is stored is sound, and removing it. Loads no model, but for a
 * conversation that is to be compared with computing it.
 */
import type { AppClient } from "../contract/app-contract.ts";
import type { SelfTestResult } from "../contract/cache.ts";
import { RepriseError } from "../contract/errors.ts";
import { renderCacheState } from "./cache-text.ts";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { CacheCommandOptions } from "./invocation.ts";
import { findConversation } from "./prepare-conversation.ts";
import { selfTestText } from "./self-test-text.ts";
import { unlessStopped } from "./stop.ts";
import { print, printJson, type Terminal } from "./terminal.ts";
import { formatSize } from "./text-format.ts";

/** Throws STORAGE_FAILED where the store cannot be used, or holds something damaged; NOT_FOUND for the conversation. */
export async function runCacheCommand(options: CacheCommandOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, options.folders, { isShared: false });
  const action = actions[options.action];
  await unlessStopped(host.stop, "Stopped.", action(app.client, host.terminal, options));
}

type Action = (client: AppClient, terminal: Terminal, options: CacheCommandOptions) => Promise<void>;

const actions: Record<CacheCommandOptions["action"], Action> = {
  /** JSON: the state as the contract has it. */
  stats: async (client, terminal, { json }) => {
    const state = await client.cache.get();
    if (json) printJson(terminal, state);
    else print(terminal, `${renderCacheState(state)}\n`);
  },

  /** JSON: `{blocks, damaged, failure}`, and for a conversation `selfTest` as the contract has it. */
  verify: async (client, terminal, { json, conversation }) => {
    const result = await client.cache.verify();
    const selfTest = conversation === null ? null : await testConversation(client, conversation);
    const { blocks, damaged, failure } = result;
    if (json) printJson(terminal, selfTest === null ? result : { ...result, selfTest });
    if (failure !== null) throw unusable(failure, "other");
    if (damaged > 0) {
      const sentence = `${damaged} of ${blocks} stored blocks are damaged. They are not used: what they held is computed again when it is needed.`;
      throw unusable(sentence, "corrupt");
    }
    if (!json) print(terminal, `${soundSentence(blocks)}\n`);
    if (selfTest?.verdict === "different") throw unusable(selfTestText(selfTest), "corrupt");
    if (!json && selfTest !== null) print(terminal, `${selfTestText(selfTest)}\n`);
  },

  /** JSON: `{blocks, bytes}`, what was removed. */
  clear: async (client, terminal, { json }) => {
    const { blocks, usedBytes: bytes } = (await client.cache.get()).store;
    await client.cache.clear();
    const { failure, fileBytes } = (await client.cache.get()).store;
    // A store that only could not save something has a file, which is empty now.
    if (failure !== null && fileBytes === 0) throw unusable(failure, "other");
    if (json) printJson(terminal, { blocks, bytes });
    else print(terminal, `${removedSentence(blocks, bytes)}\n`);
  },
};

async function testConversation(client: AppClient, text: string): Promise<SelfTestResult> {
  const { id: conversationId } = await findConversation(client, text);
  return client.cache.selfTest({ conversationId });
}

function soundSentence(blocks: number): string {
  if (blocks === 0) return "Nothing is stored, so there is nothing to check.";
  return blocks === 1 ? "The stored block is sound." : `All ${blocks} stored blocks are sound.`;
}

function removedSentence(blocks: number, bytes: number): string {
  if (blocks === 0) return "Nothing was stored, so there was nothing to remove.";
  const removed = blocks === 1 ? "the stored block" : `${blocks} stored blocks`;
  return `Removed ${removed} (${formatSize(bytes)}). No conversation is lost.`;
}

function unusable(sentence: string, reason: "corrupt" | "other"): RepriseError {
  return new RepriseError("STORAGE_FAILED", sentence, { reason, detail: sentence });
}
