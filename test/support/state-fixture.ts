import { join } from "node:path";
import type { State } from "../../src/model/state";
import { textIn } from "./rows";

/** A service with what belongs to it, an open intent and outputs. */
export const state: State = JSON.parse(textIn(join(__dirname, "state-fixture.json")));
