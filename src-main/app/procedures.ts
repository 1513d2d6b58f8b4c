import { implement } from "@orpc/server";
import { appContract } from "../contract/app-contract.ts";
import { withTypedErrors } from "./typed-errors.ts";

/** The contract's procedures, to be given their handlers; whatever these throw is a typed error to who called. */
export const app = implement(appContract).use(({ next }) => withTypedErrors(() => next()));
