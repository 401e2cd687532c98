import { join } from "node:path";
import { App, type TerraformStack } from "cdktf";

/** Writes the stacks that `define` adds into `folder`/cdktf.out, as a program with `app.synth()` does. */
export function synthesizeInto(folder: string, define: (app: App) => TerraformStack | undefined): void {
  const app = new App({ outdir: join(folder, "cdktf.out") });
  define(app);
  app.synth();
}
