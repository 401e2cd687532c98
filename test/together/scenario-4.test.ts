import "../support/cli";
import { together } from "../support/together";

together(["scenario"], { part: 4, of: 4 });
