/**
 * An oRPC client over one engine process. It owns the process's messages and the news of its end: every call and
 * every stream that is open then fails with ENGINE_CRASHED instead of waiting for ever.
 */
import { createORPCClient, mapEventIterator } from "@orpc/client";
import { RPCLink, type BrowserPortLike } from "@orpc/client/message-port";
import type { ContractRouterClient } from "@orpc/contract";
import type { engineContract } from "../contract/engine-contract.ts";
import { toRepriseError } from "../contract/errors.ts";
import type { EngineProcess } from "./engine-process.ts";
import { describeExit, engineCrashed } from "./exit-cause.ts";

export type EngineClient = ContractRouterClient<typeof engineContract>;

export interface EngineConnection {
  readonly client: EngineClient;
  /** Resolves with the cause in words once the process is gone. */
  readonly ended: Promise<string>;
  /** Ends the process at once; `cause` is then what `ended` and the open calls tell. */
  kill(cause: string): void;
}

/** The process as a port of the one shape oRPC knows that takes bare messages. */
function portOf(process: EngineProcess, fail: (cause: string) => void) {
  const closeListeners: (() => void)[] = [];
  const port: BrowserPortLike = {
    onMessage: {
      addListener: (listener) => {
        process.onMessage(listener);
      },
    },
    onDisconnect: {
      addListener: (listener) => closeListeners.push(listener),
    },
    postMessage: (message) => {
      try {
        process.postMessage(message);
      } catch (error) {
        // oRPC also posts from event listeners, where a throw would take the whole app down.
        fail(error instanceof Error ? error.message : String(error));
      }
    },
  };
  const close = () => {
    for (const listener of closeListeners) listener();
  };
  return { port, close };
}

function isEventIterator(value: unknown): value is AsyncIterator<unknown> & AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;
}

export function connectEngine(process: EngineProcess): EngineConnection {
  let killCause: string | null = null;
  let endCause: string | null = null;
  const kill = (cause: string) => {
    killCause ??= cause;
    process.kill();
  };
  const { port, close } = portOf(process, kill);

  const ended = new Promise<string>((resolve) => {
    process.onExit((exit) => {
      // Deltas that arrived before the end are handed on first: they are part of the partial answer.
      setImmediate(() => {
        endCause = killCause ?? describeExit(exit);
        close();
        resolve(endCause);
      });
    });
  });

  const translate = (caught: unknown, signal: AbortSignal | undefined): unknown => {
    if (endCause !== null) return engineCrashed(endCause);
    return signal?.aborted === true ? caught : toRepriseError(caught);
  };
  const link = new RPCLink({
    port,
    interceptors: [
      async (call) => {
        if (endCause !== null) throw engineCrashed(endCause);
        try {
          const output = await call.next();
          if (!isEventIterator(output)) return output;
          return mapEventIterator(output as never, {
            value: (value) => Promise.resolve(value),
            error: (error) => Promise.resolve(translate(error, call.signal)),
          });
        } catch (error) {
          throw translate(error, call.signal);
        }
      },
    ],
  });
  return { client: createORPCClient(link), ended, kill };
}
