/**
 * The engine's process. Started by main, which must set UV_THREADPOOL_SIZE=1: every decode is a job of libuv's pool,
 * and with one thread it stays on one. It ends with the process that started it, whatever ended that.
 */
import { RPCHandler } from "@orpc/server/message-port";
import { Engine } from "./engine.ts";
import { engineRouter } from "./engine-router.ts";
import { processPort } from "../child/process-port.ts";

const port = processPort();
if (port === null) {
  process.stderr.write("The engine is started by Reprise, not by hand.\n");
  process.exit(2);
}
// A terminal sends these to the whole group, and main then asks for an orderly end.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
// Nothing here needs saving, and an orderly exit would wait for the chunk that is being computed.
port.onDisconnect.addListener(() => process.kill(process.pid, "SIGKILL"));
const router = engineRouter(new Engine(), () => {
  void port.flushed().then(() => process.exit(0));
});
new RPCHandler(router).upgrade(port);
