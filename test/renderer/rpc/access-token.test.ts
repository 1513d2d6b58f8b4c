import { describe, expect, test, vi } from "vitest";
import { takeAccessToken } from "../../../src-renderer/rpc/access-token.ts";
import { memoryStorage } from "../../helpers/memory-storage.ts";

function tab(hash: string, sessionStorage = memoryStorage()) {
  const replaceState = vi.fn();
  return { location: { hash, pathname: "/", search: "" }, history: { replaceState }, sessionStorage };
}

describe("the token", () => {
  test("is taken from the address, and out of it", () => {
    const place = tab("#token=abc_-123");
    expect(takeAccessToken(place)).toBe("abc_-123");
    expect(place.history.replaceState).toHaveBeenCalledWith(null, "", "/");
  });

  test("is known to the tab after a reload", () => {
    const { sessionStorage } = tab("");
    takeAccessToken(tab("#token=abc", sessionStorage));
    expect(takeAccessToken(tab("#/c/k3jd93kd02ms", sessionStorage))).toBe("abc");
  });

  test("is a newer one when the address brings one", () => {
    const { sessionStorage } = tab("");
    takeAccessToken(tab("#token=old", sessionStorage));
    expect(takeAccessToken(tab("#token=new", sessionStorage))).toBe("new");
  });

  test("is not there in a tab that was never given one", () => {
    const place = tab("#/c/k3jd93kd02ms");
    expect(takeAccessToken(place)).toBeNull();
    expect(place.history.replaceState).not.toHaveBeenCalled();
  });
});
