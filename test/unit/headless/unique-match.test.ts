import { describe, expect, test } from "vitest";
import { uniqueMatch } from "../../../src-main/headless/unique-match.ts";
import { codedError } from "../../helpers/coded-error.ts";

const items = ["k3jd93kd02ms", "k3zz00000000", "a0a0a0a0a0a0", "a0a0a0a0a0a0b"].map((id) => ({ id }));
const find = (text: string) => uniqueMatch("conversation", text, items).id;

describe("an id on the command line", () => {
  test("may be shortened to a start that is unique", () => {
    expect(find("k3j")).toBe("k3jd93kd02ms");
    expect(find(" K3J ")).toBe("k3jd93kd02ms");
  });

  test("that is whole wins over a longer one that begins so", () => {
    expect(find("a0a0a0a0a0a0")).toBe("a0a0a0a0a0a0");
  });

  test("that is the start of several names them", () => {
    expect(() => find("k3")).toThrow(codedError("INVALID_INPUT"));
    expect(() => find("k3")).toThrow(/2 conversation ids \(k3jd93kd02ms, k3zz00000000\)/);
  });

  test.each(["x", "", "k3jd93kd02ms0"])("that is none, like %j, is not found", (text) => {
    expect(() => find(text)).toThrow(codedError("NOT_FOUND", { what: "conversation", id: text }));
  });

  test("names a handful of very many", () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ id: `a${String(index).padStart(11, "0")}` }));
    expect(() => uniqueMatch("model", "a", many)).toThrow(/40 model ids \(.*a00000000004, and 35 more\)/);
  });
});
