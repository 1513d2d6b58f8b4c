/** How menus look, for the parts of bits-ui that draw them. */
export const menuPanel = "z-40 min-w-44 rounded-lg border border-line bg-raised p-1 outline-none";
export const menuItem =
  "flex items-center gap-2 rounded-md px-2.5 py-1.5 outline-none select-none data-highlighted:bg-hover data-disabled:opacity-50";
