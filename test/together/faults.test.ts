import { together } from "../support/together";

together(["faults", "hostile"]);
