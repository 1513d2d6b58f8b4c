/** Entry of the desktop app. */
import { startDesktop } from "./start-desktop.ts";

void startDesktop(import.meta.dirname);
