/** Who may import whom. One rule a layer; see the table in ARCHITECTURE.md. */
const layers = "contract|gguf|child|app|store|models|engine|quantize|engine-host|loopback|desktop|headless";

/** Forbids `from` to import any layer beside the ones named. */
function layer(from, allowed) {
  return {
    name: `layer-${from}`,
    comment: `src-main/${from} may import only: ${allowed.join(", ") || "nothing of ours"}`,
    severity: "error",
    from: { path: `^src-main/${from}/` },
    to: { path: `^src-main/(${layers})/`, pathNot: `^src-main/(${[from, ...allowed].join("|")})/` },
  };
}

/** Only files under `owner` may import the package. */
function owned(name, packagePath, owner) {
  return {
    name: `owner-${name}`,
    comment: `${name} has one owner`,
    severity: "error",
    from: { path: "^src-(main|renderer)/", pathNot: owner },
    to: { path: packagePath },
  };
}

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      comment: "A Svelte component that draws a tree may import itself.",
      severity: "error",
      from: { path: "(.+)" },
      to: { circular: true, pathNot: "^$1$" },
    },
    { name: "not-to-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    layer("contract", []),
    layer("store", ["contract"]),
    layer("gguf", ["contract"]),
    layer("models", ["contract", "gguf"]),
    layer("child", []),
    layer("engine", ["contract", "gguf", "child"]),
    layer("quantize", ["contract", "gguf", "child"]),
    layer("engine-host", ["contract"]),
    layer("loopback", ["contract"]),
    {
      name: "app-uses-interfaces",
      comment: "Use cases see the layers below as interfaces; only the composition root joins them.",
      severity: "error",
      from: { path: "^src-main/app/", pathNot: "^src-main/app/compose\\.ts$" },
      to: { path: `^src-main/(${layers})/`, pathNot: "^src-main/(app|contract)/" },
    },
    layer("desktop", ["app", "contract", "engine-host", "loopback"]),
    layer("headless", ["app", "contract", "engine-host", "loopback"]),
    {
      name: "renderer-sees-the-contract",
      severity: "error",
      from: { path: "^src-renderer/" },
      to: { path: "^src-main/", pathNot: "^src-main/contract/" },
    },
    {
      name: "main-does-not-see-the-renderer",
      severity: "error",
      from: { path: "^src-main/" },
      to: { path: "^src-renderer/" },
    },
    {
      name: "renderer-has-no-node",
      severity: "error",
      from: { path: "^src-renderer/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "sources-do-not-import-tests",
      severity: "error",
      from: { path: "^src-(main|renderer)/" },
      to: { path: "^(test|build)/" },
    },
    owned("better-sqlite3", "node_modules/(@types/)?better-sqlite3/", "^src-main/(store|engine/kv)/"),
    owned("node-llama-cpp", "node_modules/node-llama-cpp/", "^src-main/engine/llama/"),
    owned("koffi", "node_modules/koffi/", "^src-main/quantize/"),
    owned("electron", "node_modules/electron/", "^src-main/desktop/"),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "types", "default", "svelte"],
    },
    exclude: { path: "^(out|release|src-renderer/paraglide)/" },
  },
};
