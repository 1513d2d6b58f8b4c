import { Tooltip } from "bits-ui";

/** Joins every trigger with the one tooltip of the page: a tooltip for each would cost time for nothing. */
export const tipTether = Tooltip.createTether<string>();
