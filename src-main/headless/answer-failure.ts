import { ORPCError } from "@orpc/client";
import type { Message } from "../contract/conversation.ts";
import { toRepriseError } from "../contract/errors.ts";

/** Throws what made an answer fail, as the error it was; an answer with another status passes. */
export function throwIfFailed({ status, error }: Pick<Message, "status" | "error">): void {
  if (status !== "failed") return;
  if (error === null) throw new Error("The answer failed, and the cause was not kept.");
  const { code, message, data } = error;
  throw toRepriseError(new ORPCError(code, { message, data }));
}
