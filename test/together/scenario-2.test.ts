import "../support/cli";
import { together } from "../support/together";

together(["scenario"], { part: 2, of: 4 });
