import { expect, test } from "vitest";
import { readChatLine } from "../../../src-main/headless/chat-line.ts";

test.each([
  ["", { kind: "nothing" }],
  ["   ", { kind: "nothing" }],
  [" Hello ", { kind: "question", text: "Hello" }],
  ["/help", { kind: "help" }],
  ["/new ", { kind: "new" }],
  ["/quit", { kind: "quit" }],
  ["/quiet", { kind: "unknown-command", name: "/quiet" }],
  ["/new chat", { kind: "unknown-command", name: "/new chat" }],
  ["//etc/hosts is a file", { kind: "question", text: "/etc/hosts is a file" }],
])("the line %j is understood", (line, expected) => {
  expect(readChatLine(line)).toEqual(expected);
});
