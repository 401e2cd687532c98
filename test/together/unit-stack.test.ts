import { together } from "../support/together";

together(["unit/stack", "unit/terraform"]);
