import type { StopReason } from "../../src-main/contract/turn-report.ts";
import { m } from "../paraglide/messages.js";

export function stopReasonName(reason: StopReason): string {
  switch (reason) {
    case "end":
      return m.stop_reason_end();
    case "length":
      return m.stop_reason_length();
    case "stop-string":
      return m.stop_reason_stop_string();
    case "stopped":
      return m.stop_reason_stopped();
    case "context-full":
      return m.stop_reason_context_full();
    case "failed":
      return m.stop_reason_failed();
  }
}
