// Synthesizes a stack, as a program of constructs does: its project has the name of the stage.
const { writeFileSync, mkdirSync } = require("node:fs");

const out = process.env.CDKTF_OUTDIR;
mkdirSync(`${out}/stacks/shop`, { recursive: true });
const stack = {
  terraform: {},
  resource: { rnv_project: { shop: { name: `Shop ${process.env.RNV_STAGE}` } } },
};
writeFileSync(`${out}/stacks/shop/cdk.tf.json`, JSON.stringify(stack));
const stacks = { shop: { name: "shop", synthesizedStackPath: "stacks/shop/cdk.tf.json", dependencies: [] } };
writeFileSync(`${out}/manifest.json`, JSON.stringify({ version: "0.21.0", stacks }));
