import { together } from "../support/together";

together(["unit/report"]);
