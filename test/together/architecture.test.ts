import { together } from "../support/together";

together(["architecture"]);
