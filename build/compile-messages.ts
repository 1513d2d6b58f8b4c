/** Compiles the messages as the build does, for checks that run without one. */
import { compile } from "@inlang/paraglide-js";
import { paraglideOptions } from "../.config/paraglide-options.ts";

await compile(paraglideOptions);
