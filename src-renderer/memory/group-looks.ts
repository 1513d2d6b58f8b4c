/** How the groups of the map look and are called. */
import { m } from "../paraglide/messages.js";
import type { CellGroup, CountedGroup } from "./cell-map.ts";

const others = ["bg-other-1", "bg-other-2", "bg-other-3", "bg-other-4"] as const;

/** A colour for each group: the active conversation's is the one of what is in place, others have theirs in turn. */
export function groupColours(groups: readonly CountedGroup[]): ReadonlyMap<string, string> {
  const active = groups.flatMap(({ group }) => (group.kind === "active" ? [group.conversationId] : []));
  const known = new Set<string>(active);
  for (const { group } of groups) if ("conversationId" in group) known.add(group.conversationId);
  const colours = [...active.slice(0, 1).map(() => "bg-origin-resident"), ...others];
  const colourOf = (id: string) => {
    const index = [...known].indexOf(id);
    return colours[index] ?? others[index % others.length] ?? others[0];
  };
  return new Map(groups.map(({ key, group }) => [key, lookOf(group, colourOf)]));
}

function lookOf(group: CellGroup, colourOf: (conversationId: string) => string): string {
  switch (group.kind) {
    case "free":
      return "bg-line";
    case "shared":
      return "bg-origin-shared";
    case "active":
      return colourOf(group.conversationId);
    case "branch":
      return `${colourOf(group.conversationId)} hatched`;
    case "side":
      return "bg-memory-weights hatched";
  }
}

/** `titleOf`: of a conversation, by its id. */
export function groupName(group: CellGroup, titleOf: (conversationId: string) => string): string {
  switch (group.kind) {
    case "free":
      return m.cells_free();
    case "shared":
      return m.cells_shared();
    case "active":
      return titleOf(group.conversationId);
    case "branch":
      return m.cells_branch({ title: titleOf(group.conversationId) });
    case "side":
      return m.cells_side({ title: titleOf(group.conversationId) });
  }
}

export function groupExplanation(group: CellGroup): string {
  switch (group.kind) {
    case "free":
      return m.cells_free_tip();
    case "shared":
      return m.cells_shared_tip();
    case "active":
      return m.cells_active_tip();
    case "branch":
      return m.cells_branch_tip();
    case "side":
      return m.cells_side_tip();
  }
}
