import { together } from "../support/together";

together(["unit/manifest", "unit/declaration", "unit/cli"]);
