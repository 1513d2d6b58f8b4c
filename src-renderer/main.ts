// First: modules below read values as they load.
import "./without-eval.ts";
import { mount } from "svelte";
import App from "./app.svelte";
import "./app.css";
import { overwriteGetLocale } from "./paraglide/runtime.js";
import { chooseTransport } from "./rpc/choose-transport.ts";
import { createApp } from "./state/app.svelte.ts";
import { browserStore } from "./state/local-store.ts";

const app = createApp(chooseTransport(window), browserStore(), window);
// Messages read the language through this, so they are written anew in place when it changes.
overwriteGetLocale(() => app.settings.locale);

const target = document.getElementById("app");
if (target === null) throw new Error("The page has no element to show Reprise in.");
mount(App, { target, props: { app } });
