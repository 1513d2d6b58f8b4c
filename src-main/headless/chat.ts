/** `reprise chat`: one question from the command line or a pipe. Without either it is an interactive chat. */
import { text as readAll } from "node:stream/consumers";
import type { AppClient } from "../contract/app-contract.ts";
import type { Message } from "../contract/conversation.ts";
import { RepriseError } from "../contract/errors.ts";
import { throwIfFailed } from "./answer-failure.ts";
import { ask } from "./ask.ts";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import { interactiveChat } from "./interactive-chat.ts";
import type { ChatOptions } from "./invocation.ts";
import { prepareConversation } from "./prepare-conversation.ts";
import { showStatusWhile } from "./show-status-while.ts";
import { Stopped, type StopCause, unlessStopped } from "./stop.ts";
import { print, printJson, ProgressLine, remark } from "./terminal.ts";
import { formatReport } from "./text-format.ts";

const nothingBegun = "Stopped before the question was sent.";

export async function chat(options: ChatOptions, host: CommandHost): Promise<void> {
  const message = options.message ?? (await readMessage(options, host));
  if (message === null) return interactiveChat(options, host);
  if (message.trim() === "") {
    throw new RepriseError("INVALID_INPUT", "There is no message to answer.", { reason: "empty message" });
  }
  await using app = await connect(host, options.folders, { isShared: false });
  const answer = await askOnce(app.client, options, message, host);
  if (host.stop.aborted) {
    throw new Stopped(
      host.stop.reason as StopCause,
      `Stopped. The answer so far is kept in conversation ${answer.conversationId}.`,
    );
  }
}

/** `null` on a terminal: the person is asked instead. */
async function readMessage({ json }: ChatOptions, { terminal, stop }: CommandHost): Promise<string | null> {
  if (terminal.input.isTTY !== true) {
    const piped = await unlessStopped(stop, nothingBegun, readAll(terminal.input));
    return piped.replace(/\r?\n$/, "");
  }
  if (!json) return null;
  throw new RepriseError("INVALID_INPUT", "--json needs a message, as an argument or from a pipe.", {
    reason: "no message",
  });
}

async function askOnce(client: AppClient, options: ChatOptions, message: string, host: CommandHost): Promise<Message> {
  const { terminal, stop } = host;
  const line = new ProgressLine(terminal);
  const answer = await showStatusWhile(client, line, async (endProgress) => {
    const conversation = await unlessStopped(stop, nothingBegun, prepareConversation(client, options));
    const listener = {
      onText: (text: string) => {
        endProgress();
        if (!options.json) print(terminal, text);
      },
      onWait: (text: string | null) => {
        line.show(text);
      },
    };
    return ask(client, { conversationId: conversation.id, text: message }, listener, stop);
  });
  finish(answer, options, host);
  return answer;
}

function finish(answer: Message, { json }: ChatOptions, { terminal }: CommandHost): void {
  if (!json && answer.content !== "" && !answer.content.endsWith("\n")) print(terminal, "\n");
  throwIfFailed(answer);
  const { conversationId, id: messageId, content: text, report } = answer;
  if (json) printJson(terminal, { conversationId, messageId, text, report });
  else
    remark(terminal, [`conversation ${conversationId}`, ...(report === null ? [] : [formatReport(report)])].join(", "));
}
