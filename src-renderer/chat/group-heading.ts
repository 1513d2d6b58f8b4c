import { formatMonth } from "../format/dates.ts";
import { m } from "../paraglide/messages.js";
import type { GroupName } from "./conversation-groups.ts";

export function groupHeading(name: GroupName): string {
  switch (name.kind) {
    case "today":
      return m.group_today();
    case "yesterday":
      return m.group_yesterday();
    case "last-days":
      return m.group_last_days();
    case "month":
      return formatMonth(name.time);
  }
}
