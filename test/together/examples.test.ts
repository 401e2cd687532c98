import "../support/cli";
import { together } from "../support/together";

together(["examples"]);
