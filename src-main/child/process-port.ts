/**
 * The channel to the main process as a port for oRPC, whichever host forked this child: Node's `fork` sends raw
 * messages, Electron's `utilityProcess` events with them in `data`.
 */
export interface ProcessPort {
  readonly postMessage: (message: unknown) => void;
  readonly onMessage: { readonly addListener: (listener: (message: unknown) => void) => void };
  readonly onDisconnect: { readonly addListener: (listener: () => void) => void };
  /** Resolves when all that was posted has left this process. */
  readonly flushed: () => Promise<void>;
}

/** Electron's `process.parentPort`, as far as it is used here. */
interface ParentPort {
  on(event: "message", listener: (event: { readonly data: unknown }) => void): void;
  on(event: "close", listener: () => void): void;
  postMessage(message: unknown): void;
}

/** `null` where this process is nobody's child. */
export function processPort(): ProcessPort | null {
  const parentPort: unknown = Reflect.get(process, "parentPort");
  if (isParentPort(parentPort)) return utilityPort(parentPort);
  return process.connected ? forkPort() : null;
}

function isParentPort(value: unknown): value is ParentPort {
  return typeof value === "object" && value !== null && "postMessage" in value && "on" in value;
}

function utilityPort(port: ParentPort): ProcessPort {
  return {
    postMessage: (message) => {
      port.postMessage(message);
    },
    onMessage: {
      addListener: (listener) => {
        port.on("message", ({ data }) => {
          listener(data);
        });
      },
    },
    onDisconnect: {
      addListener: (listener) => {
        port.on("close", listener);
      },
    },
    flushed: () => Promise.resolve(),
  };
}

function forkPort(): ProcessPort {
  const underWay = new Set<Promise<unknown>>();
  return {
    postMessage: (message) => {
      const sent = new Promise((resolve) => process.send?.(message, undefined, undefined, resolve));
      underWay.add(sent);
      void sent.then(() => underWay.delete(sent));
    },
    onMessage: {
      addListener: (listener) => {
        process.on("message", listener);
      },
    },
    onDisconnect: {
      addListener: (listener) => {
        process.on("disconnect", listener);
      },
    },
    flushed: async () => {
      await Promise.all(underWay);
    },
  };
}
