import { join } from "node:path";
import { onTestFinished } from "vitest";
import { publishApp } from "../../src-main/loopback/publish-app.ts";
import { builtOutput } from "./built-output.ts";
import { openTestApp } from "./open-test-app.ts";

/** The whole app with the echo engine, in this process, served to a browser; both go with the test. */
export async function serveEchoApp() {
  const app = await openTestApp();
  const rendererFolder = join(builtOutput(), "renderer");
  const published = await publishApp({ dataFolder: app.dataFolder, router: app.router, rendererFolder });
  onTestFinished(() => published.close());
  return { ...app, url: `${published.url}/#token=${published.token}` };
}
