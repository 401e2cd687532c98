import { together } from "../support/together";

together(["unit/plan"]);
