import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { RnvProvider } from "../../../src/cdktf/cdktf";

/** Writes the stacks that `define` adds into `folder`/cdktf.out, as a program with `app.synth()` does. */
export function synthesizeInto(folder: string, define: (app: App) => TerraformStack | undefined): void {
  const app = new App({ outdir: join(folder, "cdktf.out") });
  define(app);
  app.synth();
}

/** Writes one stack with the provider, and what `define` adds to it. */
export const synthesizeStack = (folder: string, id: string, define: (made: TerraformStack) => void): void =>
  synthesizeInto(folder, (app) => {
    const made = new TerraformStack(app, id);
    new RnvProvider(made, "rnv");
    define(made);
    return made;
  });
