import { untrack } from "svelte";
import type { App } from "../state/app.svelte.ts";

/** For a component that shows what can be had: asks main anew when a model was loaded, measured, added or removed. */
export function keepOffersFresh({ connection, models, offers, status }: App): void {
  const known = $derived.by(() => {
    const engine = status.current?.engine;
    const loaded = engine?.state === "ready" ? engine.modelId : "";
    return connection.state.name === "open" ? `${loaded} ${models.files?.length ?? ""}` : null;
  });
  $effect(() => {
    if (known !== null) untrack(() => void offers.refresh());
  });
}
