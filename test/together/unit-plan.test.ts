import { together } from "../support/together";

together(["unit/plan", "unit/apply", "unit/resources", "unit/emulator", "unit/model"]);
