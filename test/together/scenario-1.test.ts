import "../support/cli";
import { together } from "../support/together";

together(["scenario"], { part: 1, of: 4 });
