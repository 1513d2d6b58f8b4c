import { RepriseError } from "../contract/errors.ts";
import { removeInstance, writeInstance } from "./instance-file.ts";
import { type LoopbackOptions, type LoopbackServer, startLoopbackServer } from "./loopback-server.ts";

export interface PublishOptions extends LoopbackOptions {
  readonly dataFolder: string;
}

/**
 * Starts the loopback server and writes the instance file, so that other processes find the app; `close` takes both
 * back. Throws INVALID_INPUT where the port cannot be had, FOLDER_UNWRITABLE where the file cannot be written.
 */
export async function publishApp({ dataFolder, ...options }: PublishOptions): Promise<LoopbackServer> {
  const server = await startLoopbackServer(options);
  const { url, token } = server;
  try {
    writeInstance(dataFolder, { pid: process.pid, url, token, startedAt: Date.now() });
  } catch (caught) {
    await server.close();
    const reason = caught instanceof Error ? caught.message : String(caught);
    const sentence = `Reprise cannot write to ${dataFolder} (${reason}). Nothing was changed; make the folder writable or choose another.`;
    throw new RepriseError("FOLDER_UNWRITABLE", sentence, { path: dataFolder, reason }, { cause: caught });
  }
  return {
    ...server,
    close: async () => {
      removeInstance(dataFolder, token);
      await server.close();
    },
  };
}
