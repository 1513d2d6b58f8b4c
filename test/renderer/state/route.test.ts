import { afterEach, beforeEach, expect, test } from "vitest";
import { Route } from "../../../src-renderer/state/route.svelte.ts";

let route: Route;

beforeEach(() => {
  window.location.hash = "#/c/k3jd93kd02ms";
  route = new Route(window);
});
afterEach(() => {
  route.close();
});

test("the address says which conversation is open", () => {
  expect(route.conversationId).toBe("k3jd93kd02ms");
});

test("opening one changes the address", () => {
  route.open("abc");
  expect(window.location.hash).toBe("#/c/abc");
  route.open(null);
  expect(window.location.hash).toBe("#/");
  expect(route.conversationId).toBeNull();
});

test("an address that was changed from outside is followed; one that says nothing opens nothing", () => {
  window.location.hash = "#/c/def";
  window.dispatchEvent(new Event("hashchange"));
  expect(route.conversationId).toBe("def");

  window.location.hash = "#/c/<img>";
  window.dispatchEvent(new Event("hashchange"));
  expect(route.conversationId).toBeNull();
});

test("another screen has an address of its own, and the conversation stays open behind it", () => {
  route.show("memory");
  expect(window.location.hash).toBe("#/c/k3jd93kd02ms/memory");
  expect(route.screen).toBe("memory");
  expect(route.conversationId).toBe("k3jd93kd02ms");

  route.open("k3jd93kd02ms");
  expect(window.location.hash).toBe("#/c/k3jd93kd02ms");
  expect(route.screen).toBe("chat");

  route.open(null);
  route.show("get-models");
  expect(window.location.hash).toBe("#/get-models");
  expect(route.conversationId).toBeNull();
});

test.each([
  ["#/memory", null, "memory"],
  ["#/c/abc/memory", "abc", "memory"],
  ["#/models", null, "models"],
  ["#/c/abc/get-models", "abc", "get-models"],
  ["#/c/abc/other", null, "chat"],
])("the address %s is followed", (hash, conversationId, screen) => {
  window.location.hash = hash;
  window.dispatchEvent(new Event("hashchange"));
  expect([route.conversationId, route.screen]).toEqual([conversationId, screen]);
});
