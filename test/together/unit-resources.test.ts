import { together } from "../support/together";

together(["unit/resources", "unit/emulator", "unit/model"]);
