import "../support/cli";
import { together } from "../support/together";

together(["scenario"], { part: 3, of: 4 });
