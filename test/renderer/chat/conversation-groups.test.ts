import { describe, expect, test } from "vitest";
import { groupConversations, isSameDay } from "../../../src-renderer/chat/conversation-groups.ts";
import { sampleConversation } from "../../helpers/sample-thread.ts";

/** Local time, as the reader's clock shows it. Month 11 is November. */
const at = (year: number, month: number, day: number, hour = 12, minute = 0) =>
  new Date(year, month - 1, day, hour, minute).getTime();

function groupsOf(now: number, ...times: number[]): [string, number][] {
  const conversations = times.map((updatedAt, index) => sampleConversation({ id: String(index), updatedAt }));
  return groupConversations(conversations, now).map(({ name, conversations: members }) => [name.kind, members.length]);
}

describe("the conversation list", () => {
  test("is divided by the day of last use", () => {
    expect(
      groupsOf(
        at(2026, 11, 29, 9),
        at(2026, 11, 29, 8),
        at(2026, 11, 29, 0, 1),
        at(2026, 11, 28, 23, 59),
        at(2026, 11, 27),
        at(2026, 11, 22),
        at(2026, 11, 21),
      ),
    ).toEqual([
      ["today", 2],
      ["yesterday", 1],
      ["last-days", 2],
      ["month", 1],
    ]);
  });

  test("is divided by month before the last days, and the same month of two years is two", () => {
    const times = [at(2026, 10, 5), at(2026, 10, 1), at(2026, 9, 30), at(2025, 9, 30)];
    expect(groupsOf(at(2026, 11, 29), ...times)).toEqual([
      ["month", 2],
      ["month", 1],
      ["month", 1],
    ]);
  });

  test("counts a day with a change of clocks as one day", () => {
    // In Berlin the clocks went back in the night to 25 October 2026; elsewhere this is a day like any other.
    expect(groupsOf(at(2026, 10, 26, 0, 30), at(2026, 10, 25, 0, 30), at(2026, 10, 24, 23, 30))).toEqual([
      ["yesterday", 1],
      ["last-days", 1],
    ]);
  });

  test("takes a moment ahead of the clock for today", () => {
    expect(groupsOf(at(2026, 11, 29, 9), at(2026, 11, 30))).toEqual([["today", 1]]);
  });

  test("knows when the day has changed", () => {
    expect(isSameDay(at(2026, 11, 29, 0), at(2026, 11, 29, 23))).toBe(true);
    expect(isSameDay(at(2026, 11, 29, 23, 59), at(2026, 11, 30, 0))).toBe(false);
  });
});
