import { together } from "../support/together";

together(["contract", "golden", "property"]);
