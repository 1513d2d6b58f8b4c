/** The corner of an app that the loopback tests call: one plain answer, one refusal, one endless stream. */
import { implement } from "@orpc/server";
import { appContract } from "../../../src-main/contract/app-contract.ts";
import type { AppStatus } from "../../../src-main/contract/app-status.ts";
import { RepriseError, toContractError } from "../../../src-main/contract/errors.ts";
import type { LoopbackOptions } from "../../../src-main/loopback/loopback-server.ts";

export const testStatus: AppStatus = {
  version: "0.0.0",
  host: "headless",
  dataFolder: "/data",
  modelsFolder: "/models",
  engine: { state: "idle" },
  fetch: { state: "none" },
  notices: [],
};

export interface TestApp {
  readonly router: LoopbackOptions["router"];
  /** Resolves when a reader of the endless stream has gone. */
  readonly streamEnded: Promise<void>;
}

export function createTestApp(): TestApp {
  const { promise: streamEnded, resolve: endStream } = Promise.withResolvers<undefined>();
  const app = implement(appContract);
  const router = {
    status: {
      get: app.status.get.handler(() => testStatus),
      watch: app.status.watch.handler(async function* ({ signal }) {
        try {
          yield testStatus;
          await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        } finally {
          endStream(undefined);
        }
      }),
    },
    conversations: {
      get: app.conversations.get.handler(({ input }) => {
        const id = input.conversationId;
        throw toContractError(
          new RepriseError("NOT_FOUND", `There is no conversation ${id}.`, { what: "conversation", id }),
        );
      }),
    },
  };
  return { router: router as unknown as LoopbackOptions["router"], streamEnded };
}
