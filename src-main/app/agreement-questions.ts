/** Which answers of a conversation a level can be asked about, and what was asked exactly. Pure. */
import { createHash } from "node:crypto";
import type { Message } from "../contract/conversation.ts";
import type { PromptMessage } from "../contract/engine-contract.ts";
import { withoutEmptyAnswers } from "./prompt.ts";

/** An answer on the active path. */
interface AgreementQuestion {
  readonly messageId: string;
  /** Its place in the prompt. */
  readonly place: number;
  /** Tells all that is read up to its end: what one level said of it can be held against another only for the same. */
  readonly chain: string;
  /** How many tokens it has; 0 where they are not known. */
  readonly tokens: number;
}

export interface AgreementQuestions {
  /** The prompt that all of it is read from. */
  readonly messages: readonly PromptMessage[];
  readonly questions: readonly AgreementQuestion[];
}

/** `stored`: the prompt of the path's last message. An answer that is still being written is no question yet. */
export function agreementQuestions(path: readonly Message[], stored: readonly PromptMessage[]): AgreementQuestions {
  const messages = withoutEmptyAnswers(stored);
  const chains = chainsOf(messages);
  const firstOfPath = stored.length - path.length;
  const questions = path.flatMap(({ id, role, content, status }, index): AgreementQuestion[] => {
    if (role !== "assistant" || content === "" || status === "streaming") return [];
    const answer = stored[firstOfPath + index];
    const place = answer === undefined ? -1 : messages.indexOf(answer);
    return place < 0 ? [] : [{ messageId: id, place, chain: chains[place] ?? "", tokens: answer?.tokens?.length ?? 0 }];
  });
  return { messages, questions };
}

/** Of all messages up to each, itself included. */
function chainsOf(messages: readonly PromptMessage[]): string[] {
  const chain = createHash("sha256");
  return messages.map(({ role, content, tokens }) => {
    chain.update(JSON.stringify([role, content, tokens]));
    return chain.copy().digest("hex");
  });
}
