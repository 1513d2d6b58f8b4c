/** A chat at a terminal: a prompt, streamed answers, a few commands. */
import type { AppClient } from "../contract/app-contract.ts";
import type { Conversation, Message } from "../contract/conversation.ts";
import { toRepriseError } from "../contract/errors.ts";
import { throwIfFailed } from "./answer-failure.ts";
import { ask } from "./ask.ts";
import { chatHelp, readChatLine } from "./chat-line.ts";
import { chooseModel } from "./choose-model.ts";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { ChatOptions } from "./invocation.ts";
import { LineReader } from "./line-reader.ts";
import { prepareConversation } from "./prepare-conversation.ts";
import { showStatusWhile } from "./show-status-while.ts";
import { Stopped, type StopCause, unlessStopped } from "./stop.ts";
import { complain, print, ProgressLine, remark, type Terminal } from "./terminal.ts";
import { formatReport, oneLine } from "./text-format.ts";

export async function interactiveChat(options: ChatOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, options.folders, { isShared: true });
  using session = new ChatSession(app.client, options, host.terminal);
  const over = Promise.race([session.run(), session.left]);
  await unlessStopped(host.stop, "Stopped. What was written is kept.", over);
}

/** One sitting: owns the prompt, the conversation it is in, and the answer being written. */
class ChatSession implements Disposable {
  readonly #client: AppClient;
  readonly #terminal: Terminal;
  readonly #reader: LineReader;
  readonly #leave = Promise.withResolvers<undefined>();
  #wishes: ChatOptions;
  /** `null` until the first question, so that leaving at once leaves nothing behind. */
  #conversation: Conversation | null = null;
  #answer: AbortController | null = null;

  constructor(client: AppClient, options: ChatOptions, terminal: Terminal) {
    this.#client = client;
    this.#terminal = terminal;
    this.#wishes = options;
    this.#reader = new LineReader(terminal, () => {
      this.#interrupt();
    });
  }

  /** Resolves when the person leaves without waiting for the answer. */
  get left(): Promise<undefined> {
    return this.#leave.promise;
  }

  /** Resolves when the person leaves. Throws where the options are wrong, and when the app is gone. */
  async run(): Promise<void> {
    await this.#begin();
    for (;;) {
      const line = await this.#reader.next();
      if (line === null) return;
      const request = readChatLine(line);
      switch (request.kind) {
        case "nothing":
          break;
        case "help":
          remark(this.#terminal, chatHelp);
          break;
        case "new":
          this.#conversation = null;
          this.#wishes = { ...this.#wishes, conversation: null };
          remark(this.#terminal, "A new conversation.");
          break;
        case "quit":
          return;
        case "unknown-command":
          complain(this.#terminal, `There is no command ${oneLine(request.name)}; /help lists them.`);
          break;
        case "question":
          await this.#answerTo(request.text);
      }
    }
  }

  [Symbol.dispose](): void {
    this.#reader.close();
  }

  /** Whatever can be wrong with the options is said before the first prompt. */
  async #begin(): Promise<void> {
    const { model, conversation } = this.#wishes;
    if (model !== null) this.#wishes = { ...this.#wishes, model: await chooseModel(this.#client, model) };
    if (conversation !== null) this.#conversation = await this.#prepare();
    remark(
      this.#terminal,
      `${this.#conversation === null ? "A new conversation" : oneLine(this.#conversation.title)}; /help lists the commands.`,
    );
  }

  #prepare(): Promise<Conversation> {
    return prepareConversation(this.#client, this.#wishes);
  }

  /** Ctrl+C: ends the answer being written; without one, or a second time, it leaves. */
  #interrupt(): void {
    if (this.#answer !== null && !this.#answer.signal.aborted) {
      this.#answer.abort("SIGINT" satisfies StopCause);
    } else {
      this.#leave.resolve(undefined);
    }
  }

  async #answerTo(text: string): Promise<void> {
    const answer = new AbortController();
    this.#answer = answer;
    try {
      const message = await this.#ask(text, answer.signal);
      throwIfFailed(message);
      const notes = [
        ...(message.status === "stopped" ? ["stopped"] : []),
        ...(message.report === null ? [] : [formatReport(message.report)]),
      ];
      remark(this.#terminal, notes.join(", "));
    } catch (caught) {
      if (caught instanceof Stopped) {
        remark(this.#terminal, caught.message);
        return;
      }
      const error = toRepriseError(caught);
      if (error.code === "CONNECTION_LOST") throw error;
      complain(this.#terminal, oneLine(error.message));
    } finally {
      this.#answer = null;
    }
  }

  async #ask(text: string, stop: AbortSignal): Promise<Message> {
    const line = new ProgressLine(this.#terminal);
    const message = await showStatusWhile(this.#client, line, async (endProgress) => {
      this.#conversation ??= await unlessStopped(stop, "Stopped before the question was sent.", this.#prepare());
      const listener = {
        onText: (piece: string) => {
          endProgress();
          print(this.#terminal, piece);
        },
        onWait: (wait: string | null) => {
          line.show(wait);
        },
      };
      return ask(this.#client, { conversationId: this.#conversation.id, text }, listener, stop);
    });
    if (message.content !== "" && !message.content.endsWith("\n")) print(this.#terminal, "\n");
    return message;
  }
}
