import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isOnBattery } from "../../../src-main/headless/power-source.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

type Supply = Readonly<Record<string, string>>;

const pluggedIn: Supply = { type: "Mains", online: "1" };
const unplugged: Supply = { type: "Mains", online: "0" };
const draining: Supply = { type: "Battery", status: "Discharging" };
const charging: Supply = { type: "Battery", status: "Charging" };
const mouse: Supply = { type: "Battery", status: "Discharging", scope: "Device" };

function folderWith(supplies: readonly Supply[]): string {
  const folder = temporaryFolder();
  for (const [index, supply] of supplies.entries()) {
    mkdirSync(join(folder, `supply${index}`));
    for (const [name, value] of Object.entries(supply)) {
      writeFileSync(join(folder, `supply${index}`, name), `${value}\n`);
    }
  }
  return folder;
}

test.each<[string, readonly Supply[], boolean]>([
  ["a laptop that is unplugged", [unplugged, draining], true],
  ["a tablet that says nothing of chargers", [draining], true],
  ["a laptop that charges", [pluggedIn, charging], false],
  ["a laptop whose charger is too weak", [pluggedIn, draining], false],
  ["a desktop", [], false],
  ["a desktop with a wireless mouse", [mouse], false],
  ["a laptop that is charged over USB", [unplugged, { type: "USB", online: "1" }, draining], false],
])("%s", (_, supplies, expected) => {
  expect(isOnBattery(folderWith(supplies))).toBe(expected);
});

test("where there is nothing to read it does not run on a battery", () => {
  expect(isOnBattery(join(temporaryFolder(), "nothing"))).toBe(false);
});
