import type { DiagnosticCode } from "../src/diagnostics/diagnostic";

/** What a code means and what to do about it, for `docs/cli/codes.md`. A new code does not compile without an entry. */
export const codeMeanings: Readonly<Record<DiagnosticCode, string>> = {
  "manifest.not_found": "There is no manifest. Run `rnv init`, or name one with `-f FILE`.",
  "manifest.unreadable": "A file cannot be read. Check that it exists, is a file and is readable.",
  "manifest.too_large": "A file is larger than rnv reads. Split it: every `*.yaml` below `rnv/` is read.",
  "manifest.too_deep": "Blocks are nested too deeply. Write less deeply nested YAML.",
  "manifest.empty":
    "The manifest declares nothing. If that is meant, `--allow-empty` confirms what it destroys.",
  "manifest.syntax": "The text is not valid YAML. The message points at the place.",
  "manifest.duplicate_key": "A key is written twice in one block. Remove one of them.",
  "manifest.duplicate_address":
    "Two files declare one address. Remove one, or pass the second as a later `-f` to overlay it.",
  "manifest.unknown_key": "A block has no such key. The message suggests a similar one.",
  "manifest.unknown_field":
    "This version does not know a field of `configuration`. It is sent if the catalog has a default for it.",
  "manifest.missing_key": "A block lacks a key that it needs. Add it.",
  "manifest.invalid_type":
    "A value has another type, such as text for a number. Quote it, or remove the quotes.",
  "manifest.invalid_value": "A value is outside what is allowed. The message says what is.",
  "manifest.invalid_name": "A logical name has other characters than letters, digits, `-` and `_`.",
  "manifest.version": "`version` is not 1, the only version.",
  "manifest.reference_syntax":
    "A `${…}` is not a reference. Write `${service.shop.api.url}`, or `$${` for the text `${`.",
  "manifest.reference_unknown":
    "A reference names an address or a field that does not exist. The message suggests a similar one.",
  "manifest.reference_cycle": "References form a cycle. Remove one of them.",
  "manifest.env_missing":
    "An environment variable is unset or empty. Set it, or write `${env.NAME:-default}`.",
  "manifest.secret_source":
    "The source of a value cannot be used: a file, a command or its output. The message says why.",
  "manifest.dotenv": "A line of a dotenv file is not valid.",
  "manifest.not_converted":
    "Something in a converted file has no counterpart. Check the manifest at that place.",
  "manifest.group": "`variablesFrom` names a group that is not declared.",
  "manifest.unsupported": "YAML that rnv does not read, such as several documents in one file.",
  "manifest.moved":
    "An entry of `moved` cannot be carried out: its addresses are of different types, or one does not fit.",
  "manifest.stage": "`stages` is wrong, or a manifest of instances has names without `${stage.id}`.",
  "manifest.stage_missing": "The manifest declares stages. Choose one with `--stage NAME`.",
  "manifest.stage_unknown": "No stage has this name. The message lists those that exist.",
  "manifest.removed": "An entry of `removed` confirms nothing: the address is declared, or not recorded.",
  "stack.not_found": "There is no synthesized stack. Run the app, or name its folder with `-f cdktf.out`.",
  "stack.syntax": "The JSON of a stack is not valid.",
  "stack.unsupported":
    "A stack uses what rnv cannot do. Use the Terraform provider, or compute it in the program.",
  "stack.unknown_key": "A resource of a stack has no such argument.",
  "stack.missing_key": "A resource of a stack lacks an argument that it needs.",
  "stack.invalid_value": "An argument has a value that is not allowed.",
  "stack.duplicate": "Two constructs have one name. Rename one.",
  "stack.reference_unknown": "An expression refers to something that does not exist.",
  "stack.reference_cycle": "Expressions refer to each other in a cycle.",
  "stack.variable_missing": "A variable of a stack has no value. Set `TF_VAR_name`.",
  "stack.too_large": "A stack, or a value that it computes, is larger than rnv reads.",
  "stack.annotation": "The program added an error or a warning to a construct.",
  "config.missing": "A setting is missing, such as `RNV_BASE_URL`. See [environment](environment.md).",
  "config.invalid": "A setting has a value that is not allowed.",
  "config.insecure": "The address is `http` and not on this machine, or a key file can be read by others.",
  "command.usage": "The command line is wrong. See `rnv VERB --help`.",
  "command.output_lost": "Standard output was closed. The command itself has ended as its exit code says.",
  "command.undelivered": "A comment, issue or webhook could not be delivered. The result itself holds.",
  "state.unreadable":
    "The state cannot be read. `rnv state backups` lists earlier ones, `rnv state restore` brings one back.",
  "state.newer": "A newer rnv wrote the state. Update rnv.",
  "state.workspace": "The state is of another workspace or base URL. Check the settings.",
  "state.key_missing":
    "The state key is missing. Set `RNV_STATE_KEY`, or restore `state.key` beside the state.",
  "state.key_mismatch":
    "The state was written with another key. Use that one; to change keys set `RNV_STATE_KEY_PREVIOUS`.",
  "state.write_failed":
    "The state could not be written. Free disk space or repair the server, then run the command again.",
  "state.conflict": "Another run changed the state. Run the command again.",
  "state.lock_held": "Another run holds the lock. Wait for it; if it is gone: `rnv force-unlock ID`.",
  "state.lock_lost": "Another run took the lock away. This run stopped. Run the command again.",
  "state.address_unknown": "The state records no such address. `rnv state list` shows all.",
  "state.open_intent": "An interrupted run may have created something. The message says how to find out.",
  "state.hand_over": "Resources moved to another state, and that has not ended. Run the same command again.",
  "live.failed": "The live resources could not be read. Nothing was changed.",
  "live.ambiguous": "Several live resources have one name. Name the ID: `import: ID`.",
  "live.unmanaged_exists": "A resource of this name exists and is not managed. Import it, or use `--adopt`.",
  "live.mass_disappearance":
    "More than a third of the recorded resources are missing at once. Check workspace and key first.",
  "live.gone_unproven":
    "A recorded resource is missing from a list, but not proven deleted. Run the command again later.",
  "live.unlisted": "Live resources cannot be listed here, such as variables. They are not compared.",
  "live.unchecked": "Something could not be compared without its value.",
  "live.standing":
    "What runs is not the last deployment: it failed, waits, or is older. Nothing is repaired for it.",
  "live.import_missing": "The ID to import does not exist in this workspace.",
  "live.import_undeclared":
    "The address to import is not declared. Declare it first, or the next plan deletes it.",
  "live.preserve_missing":
    "A variable with `preserve: true` does not exist. Create it in the dashboard, or give it a value.",
  "live.data_missing": "A data source finds nothing.",
  "live.hosting_off": "Hosting is off in this workspace. Nothing can be deployed.",
  "live.stale": "The platform shows an older version than the state records. Run the command again later.",
  "live.worker_offline": "No worker is online. Deployments wait until one is.",
  "plan.adopted": "An existing resource is adopted.",
  "plan.cycle": "Changes wait for each other. The message names them.",
  "plan.price": "A price is missing in the catalog, so the cost is not complete.",
  "plan.not_on_offer":
    "The catalog does not offer this kind, plan, region or runtime. The message lists what it offers.",
  "plan.invalid_combination": "Options or fields do not go together.",
  "plan.live_changed_too": "A field was changed both here and outside rnv. Your value wins.",
  "plan.name_follows_key": "A moved block without `name` renames the service. Write its `name` to keep it.",
  "plan.not_deployed": "A change cannot be deployed, because the service is archived.",
  "plan.retained": "A resource left the manifest and is retained, as its `onRemove` says.",
  "plan.target_unknown": "`-target` or `-exclude` names an address that does not exist.",
  "plan.data_deferred": "A data source is read during apply, because it depends on a change.",
  "plan.data_unusable": "A data source depends on what this plan cannot know.",
  "plan.stale": "The saved plan does not fit any more: something changed. Plan again.",
  "plan.damaged": "The saved plan was changed after it was written. Plan again.",
  "plan.digest": "The plan is not the reviewed one. Review the new plan.",
  "guard.prevent_destroy":
    "A protected resource would be destroyed. Remove `preventDestroy`, apply, then try again.",
  "guard.delete_unconfirmed":
    "A deletion is not confirmed. Pass `--confirm-delete ADDRESS`, or write `removed: [ADDRESS]`.",
  "guard.empty_manifest":
    "A manifest that declares nothing would destroy everything. `--allow-empty` confirms it.",
  "guard.name_changed": "The live name is not the planned one. Plan again.",
  "guard.holds_others": "A project to delete holds unmanaged or retained services. The message names them.",
  "guard.untrusted": "An untrusted manifest asks for a command, a file or a variable that is not allowed.",
  "guard.stack": "The state is of another stack.",
  "guard.stage": "The state is of another stage.",
  "guard.workspace": "The stage belongs to another workspace than `RNV_WORKSPACE_ID`.",
  "guard.policy":
    "A policy fails. Change the manifest; an overridable policy passes with `--override-policy NAME`.",
  "guard.condition": "A `precondition` does not hold. Nothing was applied.",
  "policy.invalid": "A policy is wrong: its syntax, a name that does not exist, or its type.",
  "policy.failed": "An advisory or overridden policy fails.",
  "test.invalid": "A test file is wrong.",
  "drift.acceptance_expired": "Accepted drift has expired. Remove or renew the entry of `rnv.drift.yaml`.",
  "drift.acceptance_unused": "An entry of `rnv.drift.yaml` matches no drift. Remove it.",
  "apply.failed": "A change failed. Fix the cause, then run `rnv apply` again.",
  "apply.skipped": "A change was skipped, because one that it depends on failed.",
  "apply.not_taken": "The platform answered, but a field kept another value. The message names it.",
  "apply.uncertain": "It is unknown whether a write happened: its answer was lost. Run the command again.",
  "apply.delete_failed":
    "The platform could not delete a resource. Run `rnv apply` again to request it again.",
  "apply.deploy_failed": "A deployment failed or was cancelled. The message has its reason.",
  "apply.deploy_timeout":
    "A deployment did not finish in time. Run the command again to keep waiting, or raise `deploy.timeout`.",
  "apply.condition_failed": "A `postcondition` does not hold after the apply.",
  "apply.awaiting_checkout": "The change is saved, and not live: finish the checkout in the dashboard.",
  "apply.interrupted": "The run was interrupted. Run the command again to continue.",
  "apply.body_too_large":
    "A request is larger than the platform accepts. Shorten the values of this resource.",
  "api.unauthorized": "The key is missing, wrong or expired.",
  "api.forbidden": "The key may not do this. Check its role, scope and workspace.",
  "api.not_found": "The platform does not know the resource, or the key may not see it.",
  "api.refused": "The platform refused the request. The message has its reason.",
  "api.conflict": "The platform reports a conflict. The message says how to continue.",
  "api.rate_limited": "The platform limits requests, longer than rnv waits. Run the command again later.",
  "api.unavailable":
    "The platform cannot be reached or does not answer. Check the address, the network and the proxy.",
  "api.malformed": "An answer is not what the interface documents. Is `RNV_BASE_URL` the address of the API?",
  "internal.bug": "A bug of rnv. Please report it, with the command and the message.",
};
