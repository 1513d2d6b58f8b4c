/** The page's policy forbids code made at run time. Zod would try it once and be refused; so it is told beforehand. */
import { config } from "zod";

config({ jitless: true });
