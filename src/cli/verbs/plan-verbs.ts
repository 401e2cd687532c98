import { type Command, Option } from "commander";
import { applyHandler, destroyHandler } from "../handlers/apply";
import { driftHandler } from "../handlers/drift";
import { planHandler } from "../handlers/plan";
import { showHandler } from "../handlers/show";
import { validateHandler } from "../handlers/validate";
import type { Run } from "../invocation";
import { options } from "../options";
import { addVerb } from "./add-verb";

const selection = () => [
  options.file(),
  options.app(),
  options.untrusted(),
  options.state(),
  options.target(),
  options.exclude(),
  options.replace(),
  options.confirmDelete(),
  options.adopt(),
  options.allowEmpty(),
];

const running = () => [
  options.autoApprove(),
  options.noInput(),
  options.json(),
  options.lockTimeout(),
  options.answerTimeout(),
  options.parallelism(),
];

/** What scripts written for Terraform pass to every verb: planning never asks and takes no lock. */
const harmless = () =>
  [options.noInput(), options.lockTimeout(), options.parallelism()].map((option) => option.hideHelp());

/** The main path: `validate`, `plan`, `apply`, `destroy`, `drift`, `show`. */
export function addPlanVerbs(program: Command, run: Run): void {
  program.commandsGroup("Main verbs:");
  addVerb(program, run, {
    usage: "validate",
    summary: "Check the manifest without the service",
    options: [
      options.file(),
      options.app(),
      options.untrusted(),
      options.json(),
      new Option(
        "--print",
        "print the merged manifest: what all files say together, secrets as their sources",
      ),
    ],
    examples: [
      ["rnv validate", "the default files"],
      ["rnv validate -f rnv.yaml -f production.yaml -print", "what an overlay makes of the manifest"],
    ],
    handler: validateHandler,
  });
  addVerb(program, run, {
    usage: "plan",
    summary: "Show what apply would do",
    detail: "Reads the service, writes nothing and takes no lock.",
    options: [
      ...selection(),
      options.refreshOnly(),
      options.destroy(),
      options.noSecrets(),
      options.verifyValues(),
      options.out(),
      options.detailedExitcode(),
      options.answerTimeout(),
      ...harmless(),
      options.format(),
      options.json(),
    ],
    examples: [
      ["rnv plan", "the default files"],
      ['rnv plan --app "npx tsx main.ts"', "what a program of CDKTF constructs describes"],
      ["rnv plan -out plan.rnvplan", "save it: apply then does exactly this"],
      ["rnv plan -out plan.rnvplan --confirm-delete service.shop.worker", "with a deletion confirmed"],
      ["rnv plan -detailed-exitcode", "exit 2 when there are changes, 4 when one is blocked"],
      ["rnv plan --no-secrets --format markdown", "for a comment on a pull request"],
      ["rnv plan -target service.shop.api", "one service and what it needs"],
    ],
    handler: planHandler,
  });
  addVerb(program, run, {
    usage: "apply [planfile]",
    summary: "Make the service match the manifest",
    detail:
      "Plans, asks, and applies; with a plan file it applies exactly that plan, once, without asking for approval. " +
      "Neither --auto-approve nor a plan file deletes a service or a project: confirm those by name.",
    options: [...selection(), options.verifyValues(), options.refreshOnly(), options.destroy(), ...running()],
    examples: [
      ["rnv apply", "shows the plan, then asks"],
      ["rnv apply plan.rnvplan", "a saved plan"],
      ["rnv apply -auto-approve -input=false", "in CI"],
      ["rnv apply --confirm-delete service.shop.worker", "confirms one deletion; with a plan file too"],
      ["rnv apply -auto-approve -json", "one JSON object a line"],
    ],
    handler: applyHandler,
  });
  addVerb(program, run, {
    usage: "destroy",
    summary: "Delete everything that the state records",
    detail: "Resources that lifecycle.preventDestroy protects stop it. The same as apply --destroy.",
    options: [
      options.file(),
      options.app(),
      options.untrusted(),
      options.state(),
      options.target(),
      options.exclude(),
      options.confirmDelete(),
      ...running(),
    ],
    examples: [
      ["rnv destroy", "shows the plan, then asks once for all of it"],
      ["rnv destroy -target service.shop.worker", "one service"],
      ["rnv destroy -auto-approve", "without asking: everything goes"],
    ],
    handler: destroyHandler,
  });
  addVerb(program, run, {
    usage: "drift",
    summary: "Show what changed outside rnv",
    detail:
      "Exit 0 when nothing was changed or deleted, 2 when something was, 1 on an error. What is not applied " +
      "yet or not managed here is said too, and counts with --fail-on or --strict. " +
      "Needs no value of any variable and no RNV_STATE_KEY: no source of a secret is read, no command is " +
      "run. What changed shows by its time.",
    options: [
      options.file(),
      options.app(),
      options.untrusted(),
      options.state(),
      options.target(),
      options.exclude(),
      options.failOn(),
      options.strict(),
      options.verifyValues(),
      options.answerTimeout(),
      ...harmless(),
      options.format(),
      options.json(),
    ],
    examples: [
      ["rnv drift", "for people"],
      ["rnv drift -json", "for a scheduled job"],
      ["rnv drift -fail-on pending", "exit 2 also when the manifest is not applied"],
      ["rnv drift -strict", "exit 2 also for what nobody declares"],
    ],
    handler: driftHandler,
  });
  addVerb(program, run, {
    usage: "show [planfile]",
    summary: "Show the recorded state, or a saved plan",
    options: [options.state(), options.format(), options.json()],
    examples: [
      ["rnv show", "what the state records"],
      ["rnv show plan.rnvplan", "a saved plan"],
      ["rnv show -json plan.rnvplan", "in the shape of `terraform show -json`"],
    ],
    handler: showHandler,
  });
}
