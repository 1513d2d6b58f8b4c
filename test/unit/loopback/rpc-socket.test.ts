import { describe, expect, test } from "vitest";
import { isRpcFrame } from "../../../src-main/loopback/rpc-socket.ts";

describe("a frame", () => {
  test.each(['{"i":"1","p":{"u":"/status/get","b":{}}}', '{"i":"1","p":{"u":"/status/get"}}', '{"i":"1","t":4}'])(
    "that is a call or its end passes: %s",
    (frame) => {
      expect(isRpcFrame(frame)).toBe(true);
    },
  );

  test.each([
    "",
    "[]",
    "null",
    "{",
    '{"i":1,"p":{"u":"/status/get"}}',
    '{"i":"1","p":{"u":"http://elsewhere/status"}}',
    '{"i":"1","p":{"u":"/../x"}}',
    '{"i":"1","p":{"u":"/status/get","h":{"content-type":"multipart/form-data"}}}',
    '{"i":"1","t":3,"p":{"e":"message"}}',
    Buffer.from('{"i":"1","t":4}'),
  ])("that is anything else does not: %s", (frame) => {
    expect(isRpcFrame(frame)).toBe(false);
  });
});
