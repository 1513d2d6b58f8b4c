#!/usr/bin/env node
import { runInProcess } from "./process-host.ts";

await runInProcess(process.argv.slice(2));
