/** All state of the page, built once and handed down by context. */
import { getContext, setContext } from "svelte";
import type { OpenTransport } from "../rpc/transport.ts";
import { Agreements } from "./agreements.svelte.ts";
import { AppStatusState } from "./app-status.svelte.ts";
import { Cache } from "./cache.svelte.ts";
import { Chat } from "./chat.svelte.ts";
import { Comparison } from "./comparison.svelte.ts";
import { Connection } from "./connection.svelte.ts";
import { Conversations } from "./conversations.svelte.ts";
import { DeclinedSwitch } from "./declined-switch.svelte.ts";
import { DraftAhead } from "./draft-ahead.svelte.ts";
import { Downloads } from "./downloads.svelte.ts";
import { Drafts } from "./drafts.svelte.ts";
import type { LocalStore } from "./local-store.ts";
import { MemoryPlans } from "./memory-plans.svelte.ts";
import { ModelLoading } from "./model-loading.svelte.ts";
import { Models } from "./models.svelte.ts";
import { Offers } from "./offers.svelte.ts";
import { Problems } from "./problems.svelte.ts";
import { Quantizations } from "./quantizations.svelte.ts";
import { Route } from "./route.svelte.ts";
import { SettingsState } from "./settings.svelte.ts";
import { SpeedMeasurement } from "./speed-measurement.svelte.ts";
import { Ui } from "./ui.svelte.ts";

export interface App {
  readonly connection: Connection;
  readonly problems: Problems;
  readonly status: AppStatusState;
  readonly settings: SettingsState;
  readonly models: Models;
  readonly memoryPlans: MemoryPlans;
  readonly modelLoading: ModelLoading;
  readonly offers: Offers;
  readonly downloads: Downloads;
  readonly quantizations: Quantizations;
  readonly conversations: Conversations;
  readonly cache: Cache;
  readonly drafts: Drafts;
  readonly draftAhead: DraftAhead;
  readonly route: Route;
  readonly chat: Chat;
  readonly declinedSwitch: DeclinedSwitch;
  readonly measurement: SpeedMeasurement;
  readonly comparison: Comparison;
  readonly agreements: Agreements;
  readonly ui: Ui;
}

/** The key of the App among a component's contexts. */
export const appContext = Symbol("app");

export function provideApp(app: App): void {
  setContext(appContext, app);
}

export function useApp(): App {
  return getContext<App>(appContext);
}

export function createApp(open: OpenTransport | null, store: LocalStore, page: Window): App {
  const connection = new Connection(open);
  const problems = new Problems();
  const drafts = new Drafts(store);
  const route = new Route(page);
  const settings = new SettingsState(connection, problems, store);
  const chat = new Chat({ connection, problems, drafts, route, settings });
  return {
    connection,
    problems,
    status: new AppStatusState(connection),
    settings,
    models: new Models(connection),
    memoryPlans: new MemoryPlans(connection),
    modelLoading: new ModelLoading(connection, problems),
    offers: new Offers(connection),
    downloads: new Downloads(connection, problems),
    quantizations: new Quantizations(connection, problems),
    conversations: new Conversations(connection),
    cache: new Cache(connection, problems),
    drafts,
    draftAhead: new DraftAhead(connection),
    route,
    chat,
    declinedSwitch: new DeclinedSwitch(connection, problems),
    measurement: new SpeedMeasurement(connection),
    comparison: new Comparison({ connection, problems, drafts, route, chat }),
    agreements: new Agreements(connection, problems),
    ui: new Ui(),
  };
}
