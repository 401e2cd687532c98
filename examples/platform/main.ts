import { App } from "cdktf";
import { addStacks } from "./stacks";

const app = new App();
addStacks(app);
app.synth();
