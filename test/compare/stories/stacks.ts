import type { Story } from "../world";
import { approve } from "./shop";

const program = (body: string): string => `
const { App, TerraformOutput, TerraformStack } = require("cdktf");
const { Project, RnvProvider, Service } = require("terraform-provider-rnv/cdktf");
const app = new App();
class Stack extends TerraformStack {
  constructor(id) { super(app, id); new RnvProvider(this, "rnv"); }
}
${body}
app.synth();
`;

const oneStack = (more = ""): string =>
  program(`
const stack = new Stack("shop");
const shop = new Project(stack, "shop", { name: "Shop" });
const worker = new Service(stack, "worker", { kind: "worker", project: shop, configuration: { repository: "https://git.example.com/worker" } });
const api = new Service(stack, "api", { kind: "web", project: shop, configuration: { repository: "https://git.example.com/api", replicas: 1 + 1 } });
api.addVariable("WORKER", worker.internalHost);
api.addVariables({ A: "one", B: "two" });
new TerraformOutput(stack, "url", { value: api.url });
${more}`);

/** Programs of CDKTF constructs. */
export const stacks: readonly Story[] = [
  {
    name: "a stack",
    play: async (world) => {
      world.write("app.js", oneStack());
      await world.node("app.js");
      await world.rnv("plan", "-f", "cdktf.out", "-json");
      await world.rnv("apply", "-f", "cdktf.out", ...approve);
      await world.rnv("plan", "-f", "cdktf.out", "-detailed-exitcode");
      world.write("app.js", oneStack('api.addVariable("C", "three");'));
      await world.rnv("plan", "--app", "node app.js", "-json");
      await world.rnv("apply", "--app", "node app.js", ...approve);
      await world.rnv("output", "-json", "--stack", "shop");
      await world.rnv("destroy", "-f", "cdktf.out", ...approve);
    },
  },
  {
    name: "two stacks, one with values of the other",
    play: async (world) => {
      world.write(
        "app.js",
        program(`
const base = new Stack("base");
const shop = new Project(base, "shop", { name: "Shop" });
const apps = new Stack("apps");
const api = new Service(apps, "api", { kind: "web", project: shop, configuration: { repository: "https://git.example.com/api" } });
api.addVariable("PROJECT", shop.id);
`),
      );
      await world.node("app.js");
      await world.rnv("plan", "-f", "cdktf.out", "-json");
      await world.rnv("apply", "-f", "cdktf.out", ...approve);
      await world.rnv("plan", "-f", "cdktf.out", "apps", "-detailed-exitcode");
      await world.rnv("destroy", "-f", "cdktf.out", ...approve);
    },
  },
];
