import { expect, test } from "vitest";
import { filterConversations } from "../../../src-renderer/chat/title-filter.ts";

const conversations = ["Über Köln", "Rust lifetimes, again", "RUST and C"].map((title) => ({ id: title, title }));
const titles = (query: string, found: readonly string[] = []) =>
  filterConversations(conversations, query, (id) => found.includes(id)).map(({ title }) => title);

test("case and accents do not matter", () => {
  expect(titles("koln UBER")).toEqual(["Über Köln"]);
  expect(titles("köln")).toEqual(["Über Köln"]);
});

test("every word must be there, in any order", () => {
  expect(titles("again rust")).toEqual(["Rust lifetimes, again"]);
  expect(titles("rust")).toHaveLength(2);
  expect(titles("rust x")).toEqual([]);
});

test("what was found in the messages is among them, in the order of the list", () => {
  expect(titles("rust", ["Über Köln"])).toEqual(["Über Köln", "Rust lifetimes, again", "RUST and C"]);
});

test("nothing but spaces filters nothing", () => {
  expect(titles("  ")).toHaveLength(3);
});
