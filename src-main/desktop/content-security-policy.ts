const directives: Readonly<Record<string, string>> = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' data:",
  "font-src": "'self'",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
  // Svelte's own templates are the only HTML the page may be built from.
  "require-trusted-types-for": "'script'",
  "trusted-types": "svelte-trusted-html",
};

/** What the page in the desktop window may load and do: its own files, and nothing from any network. */
export const contentSecurityPolicy = Object.entries(directives)
  .map(([name, value]) => `${name} ${value}`)
  .join("; ");
