import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

interface LockedPackage {
  readonly optionalDependencies?: Record<string, string>;
  readonly resolved?: string;
}

const lock = JSON.parse(readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8")) as {
  packages: Record<string, LockedPackage>;
};

describe("package-lock.json", () => {
  test("has an entry for every optional dependency it names, so that npm ci passes on every platform", () => {
    const installed = new Set(Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1)));
    const named = Object.values(lock.packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));

    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !installed.has(name))).toEqual([]);
  });

  test("names no registry, so that everybody's own is used", () => {
    expect(Object.values(lock.packages).filter((entry) => entry.resolved !== undefined)).toEqual([]);
  });
});

describe("package.json", () => {
  test("pins every dependency exactly", () => {
    const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
      dependencies: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });

    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});
