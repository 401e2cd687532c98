import { together } from "../support/together";

together(["architecture", "unit/api", "unit/emulator", "unit/model", "unit/plan"]);
together(["unit/resources", "unit/stack", "unit/terraform"]);
