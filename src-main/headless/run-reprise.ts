import { toRepriseError } from "../contract/errors.ts";
import { runCacheCommand } from "./cache-command.ts";
import { chat } from "./chat.ts";
import type { CommandHost } from "./command-host.ts";
import { deleteConversation, listConversations, showConversation } from "./conversation-commands.ts";
import type { Invocation } from "./invocation.ts";
import { readCommandLine } from "./read-command-line.ts";
import { serve } from "./serve.ts";
import { Stopped } from "./stop.ts";
import { complain, print } from "./terminal.ts";
import { oneLine } from "./text-format.ts";

const failed = 1;
const misunderstood = 2;

/**
 * Runs one command line (without the program's name) to its end and returns the exit code. Where that is not 0, one
 * line on standard error has said why.
 */
export async function runReprise(words: readonly string[], version: string, host: CommandHost): Promise<number> {
  const reading = readCommandLine(words, version);
  switch (reading.kind) {
    case "text":
      print(host.terminal, reading.text);
      return 0;
    case "mistake":
      complain(host.terminal, reading.line);
      return misunderstood;
    case "run":
      try {
        await runCommand(reading.invocation, host);
        return 0;
      } catch (caught) {
        return explain(caught, host);
      }
  }
}

function runCommand(invocation: Invocation, host: CommandHost): Promise<void> {
  switch (invocation.command) {
    case "chat":
      return chat(invocation, host);
    case "serve":
      return serve(invocation, host);
    case "list":
      return listConversations(invocation, host);
    case "show":
      return showConversation(invocation, host);
    case "delete":
      return deleteConversation(invocation, host);
    case "models":
      return invocation.run(host);
    case "cache":
      return runCacheCommand(invocation, host);
  }
}

function explain(caught: unknown, { terminal }: CommandHost): number {
  if (caught instanceof Stopped) {
    if (caught.message !== "") complain(terminal, caught.message);
    return caught.exitCode;
  }
  complain(terminal, oneLine(toRepriseError(caught).message));
  return failed;
}
