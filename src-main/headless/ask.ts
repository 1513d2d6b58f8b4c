/** One question and its answer, as it is written. */
import type { AppClient, ChatEvent } from "../contract/app-contract.ts";
import type { Message } from "../contract/conversation.ts";
import { RepriseError } from "../contract/errors.ts";
import { addedText } from "./answer-text.ts";
import { describePhase } from "./progress-text.ts";

export interface Question {
  readonly conversationId: string;
  readonly text: string;
}

export interface Listener {
  /** The next piece of the answer. */
  readonly onText: (text: string) => void;
  /** What is being waited for; `null`: nothing worth a word. */
  readonly onWait: (text: string | null) => void;
}

/**
 * Sends the question and follows the answer to its end, whatever its status. When `stop` is aborted the answer is
 * ended and what there is of it returned. Throws what `chat.send` throws, and CONNECTION_LOST.
 */
export async function ask(
  client: AppClient,
  question: Question,
  listener: Listener,
  stop: AbortSignal,
): Promise<Message> {
  const { conversationId, text } = question;
  // Watching begins with the first event; sending after it, nothing of the answer can be missed.
  const events = await client.chat.watch({ conversationId });
  await events.next();
  const { generationId, messageId } = await client.chat.send({ conversationId, text });
  const requestStop = () => {
    // Should this fail, the stream of events fails with it and says so.
    client.chat.stop({ generationId }).catch(() => undefined);
  };
  if (stop.aborted) requestStop();
  stop.addEventListener("abort", requestStop, { once: true });
  try {
    return await follow(events, messageId, listener);
  } finally {
    stop.removeEventListener("abort", requestStop);
  }
}

async function follow(
  events: AsyncIterable<ChatEvent>,
  messageId: string,
  { onText, onWait }: Listener,
): Promise<Message> {
  let shownCharacters = 0;
  for await (const event of events) {
    const text = addedText(event, messageId, shownCharacters);
    if (text !== "") {
      shownCharacters += text.length;
      onText(text);
    }
    if (event.type === "finished" && event.message.id === messageId) return event.message;
    if (event.type === "phase" && event.generation.messageId === messageId) onWait(describePhase(event.generation));
    if (event.type === "deleted") {
      throw new RepriseError("NOT_FOUND", "The conversation was deleted while it was being answered.", {
        what: "conversation",
        id: messageId,
      });
    }
  }
  throw new RepriseError(
    "CONNECTION_LOST",
    "Reprise was closed before the answer was finished. What there was of it is kept.",
    {},
  );
}
