import "../support/cli";
import { together } from "../support/together";

together(["scenario"], { part: 5, of: 5 });
