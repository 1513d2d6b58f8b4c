import type { Message } from "../contract/conversation.ts";
import { errorFromView } from "../contract/errors.ts";

/** Throws what made an answer fail, as the error it was; an answer with another status passes. */
export function throwIfFailed({ status, error }: Pick<Message, "status" | "error">): void {
  if (status !== "failed") return;
  if (error === null) throw new Error("The answer failed, and the cause was not kept.");
  throw errorFromView(error);
}
