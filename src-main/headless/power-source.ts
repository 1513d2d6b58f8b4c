import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where Linux describes batteries and chargers, each in a folder of its own. Other systems have no such folder. */
const linuxPowerSupplies = "/sys/class/power_supply";

/** Whether the machine runs on its battery now. Where that cannot be told, it does not. */
export function isOnBattery(folder = linuxPowerSupplies): boolean {
  const supplies = namesIn(folder).map((name) => {
    const read = (attribute: string) => readAttribute(join(folder, name, attribute));
    return { type: read("type"), online: read("online"), status: read("status"), scope: read("scope") };
  });
  const isPluggedIn = supplies.some(({ type, online }) => type !== "Battery" && online === "1");
  // A battery of scope `Device` is that of a mouse or a headset.
  const isDraining = supplies.some(
    ({ type, status, scope }) => type === "Battery" && status === "Discharging" && scope !== "Device",
  );
  return isDraining && !isPluggedIn;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Not every supply has every attribute, and one may be unplugged while it is read. */
function readAttribute(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}
