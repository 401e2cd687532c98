import { together } from "../support/together";

together(["unit/manifest", "unit/cli"]);
