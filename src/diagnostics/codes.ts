/**
 * Every diagnostic code, with its meaning and remedy: `rnv explain CODE`. The part before the dot names the step that
 * found it. Codes are stable: scripts match them, prose may change.
 */
export const codeMeanings = {
  "manifest.not_found": "There is no manifest. Run `rnv init`, or name one with `-f FILE`.",
  "manifest.unreadable":
    "A file or folder cannot be read, or a link leads out of the project. Check the path and its permissions.",
  "manifest.too_large":
    "A file, a folder or the result of its aliases is larger than rnv reads. Split it into several files.",
  "manifest.too_deep": "Values are nested too deeply, often by aliases. Nest them less.",
  "manifest.empty":
    "The manifest or an overlay declares nothing. `--allow-empty` confirms what an empty manifest destroys.",
  "manifest.syntax": "The text is not valid YAML or not UTF-8. The message points at the position.",
  "manifest.program_failed":
    "The program of the manifest threw, did not end, or exported nothing. The message names the line of the program.",
  "manifest.duplicate_key": "A key is written twice in one block. Remove one of them.",
  "manifest.duplicate_address":
    "An address, or a key of one service, is declared twice. Remove one, or pass the second file as a later `-f`, which overlays the first.",
  "manifest.unknown_key":
    "A block has no such key. The message suggests a similar one. Keys that begin with `x-` are free.",
  "manifest.unknown_value":
    "The API does not document the value. It is sent as it is written. The kinds `web` and `static` are documented; `rnv plan` asks the platform for others, `validate` does not.",
  "manifest.unknown_field":
    "This version does not know a field of `configuration`. rnv uses it if the catalog has a default for it; else update rnv.",
  "manifest.missing_key": "A block lacks a key that it needs. Add it.",
  "manifest.invalid_type":
    "A value has the wrong type, such as a number where text is needed. Quote it, or remove the quotes.",
  "manifest.invalid_value": "A value is not allowed. The message says what is.",
  "manifest.invalid_name":
    "A name has other characters than letters, digits, `_` and `-`, or begins with `-`. Rename it.",
  "manifest.version": "`version` is not 1, the only version. Write `version: 1`, or remove the line.",
  "manifest.reference_syntax":
    "A `${…}` is not a reference. Write `${service.shop.api.url}`, or `$${` for the text `${`.",
  "manifest.reference_unknown":
    "A reference names an address or an attribute that does not exist. The message suggests a similar one.",
  "manifest.reference_cycle": "References form a cycle. Remove one of them.",
  "manifest.env_missing":
    "An environment variable is unset or empty. Set it, or write `${env.NAME:-default}`.",
  "manifest.plain_secret":
    "A value looks like a secret by its name or its form, and everybody who reads the manifest can read it. Take it from a source such as `{ fromEnv: NAME }`, and replace the secret. If it is no secret, write `sensitive: false` beside it.",
  "manifest.secret_source":
    "The value of a variable cannot be read from its file or command, or it has two sources. The message says which.",
  "manifest.dotenv":
    "A dotenv file is not valid, is empty, or is outside the project. Correct the line that the message shows.",
  "manifest.not_converted":
    "A part of the other tool's file has no counterpart in rnv. Add it to the manifest by hand if you need it.",
  "manifest.group":
    "`variableGroups` or `variablesFrom` is wrong, such as a group that is not declared. The message shows the form.",
  "manifest.unsupported":
    "The manifest uses what rnv does not read: YAML tags, a second document, two manifests side by side (`rnv.yaml` and `rnv/`), a secret inside a plain text.",
  "manifest.moved":
    "An entry of `moved` does not fit: `from` is still declared, `to` is not, the types differ, or a part of a resource would move to another one. Write `moved: [{ from: service.shop.web, to: service.shop.api }]`.",
  "manifest.stage":
    "`stages` is wrong: an unknown key, a wrong value, or two stages with one state. The message says what to write.",
  "manifest.stage_missing": "The manifest declares stages. Choose one with `--stage NAME`.",
  "manifest.stage_unknown": "No stage has this name. The message lists those that exist.",
  "manifest.removed":
    "An entry of `removed` is not an address, or it is still declared. Remove its block or the entry.",
  "stack.not_found":
    "There is no synthesized stack. Let rnv run the program, or name its output with `-f cdktf.out`.",
  "stack.program_failed":
    "The program of the constructs failed, or did not end. The message is that of its error.",
  "stack.syntax": "The JSON of a stack or of `cdktf.json` is not valid. Synthesize again.",
  "stack.unsupported":
    "A stack uses what rnv cannot do. Use the Terraform provider, or compute it in the program.",
  "stack.unknown_key":
    "A resource or provider of a stack has no such argument. The message suggests a similar one.",
  "stack.missing_key": "A block of a stack lacks an argument that it needs. Add it in the program.",
  "stack.invalid_value": "An argument of a stack has a value that is not allowed. The message says what is.",
  "stack.duplicate":
    "Two constructs declare one address or one part of a resource. Rename or remove one of them.",
  "stack.reference_unknown":
    "An expression refers to something that does not exist. The message suggests a similar name.",
  "stack.reference_cycle":
    "Expressions or stacks refer to each other in a cycle. Remove one of the references.",
  "stack.variable_missing": "A variable of a stack has no value. Set `RNV_VAR_name` or `TF_VAR_name`.",
  "stack.too_large":
    "Expressions of a stack are nested too deeply or take too long. Compute the value in the program.",
  "stack.annotation": "The program attached this error or warning to a construct. Its text is the program's.",
  "config.missing": "A setting is missing, such as `RNV_BASE_URL`. The message says how to set it.",
  "config.invalid": "A setting has a value that is not allowed. The message says what is.",
  "config.insecure":
    "A setting would send a key or the state unencrypted, holds a password, or names a key file that others can read. Use https; run `chmod 600`.",
  "command.usage": "The command line is wrong. Run `rnv VERB --help`.",
  "command.output_lost":
    "Standard output could not be written. The command itself was finished. Make room, then run it again.",
  "command.undelivered":
    "The webhook was not reached, or `onEvent` of the library failed. The result is in the output. Check the address, then run the job again.",
  "state.unreadable":
    "The state or its journal cannot be read. `rnv state backups` lists earlier states, `rnv state restore` brings one back.",
  "state.newer": "A newer rnv wrote the state. Update rnv.",
  "state.workspace":
    "The state belongs to another workspace or base URL. Set `RNV_WORKSPACE_ID` and `RNV_BASE_URL`, or name another state.",
  "state.key_missing":
    "The state key is missing. Set `RNV_STATE_KEY`, or restore `state.key` beside the state.",
  "state.key_mismatch":
    "The state was written with another key. Use that one; to change keys set `RNV_STATE_KEY_PREVIOUS`.",
  "state.write_failed":
    "The state could not be written. What was recorded before is intact. Free disk space or repair the server, then run the command again.",
  "state.conflict":
    "The state already records this address or ID, or is newer than what you push. The message names the conflict.",
  "state.lock_held": "Another run holds the lock. Wait for it; if it is gone: `rnv force-unlock ID`.",
  "state.lock_lost":
    "Another run took the lock. This run wrote nothing after that. Let the other run end, then run the command again.",
  "state.address_unknown": "The state has no such address. `rnv state list` shows all of them.",
  "state.open_intent":
    "An interrupted run may have created a resource. Run `rnv apply`, or follow the steps in the message.",
  "state.hand_over": "`rnv state mv --to` was interrupted. Run the same command again.",
  "live.failed": "A recorded resource no longer exists or cannot be exported. Run `rnv drift`.",
  "live.ambiguous": "Several live resources have one name. Write the ID of the right one: `import: ID`.",
  "live.unmanaged_exists":
    "A resource of this name exists and no state records it. Run `rnv import ADDRESS ID`, or plan with `--adopt`.",
  "live.mass_disappearance":
    "More than a third of the recorded projects and services are missing, at least three. A key without access sees the same: check key and workspace. If they were deleted: `rnv state rm ADDRESS`.",
  "live.gone_unproven":
    "A recorded resource is missing, and nothing else proves that the key still has access. Check key and workspace. If it was deleted: `rnv state rm ADDRESS`.",
  "live.unlisted":
    "Archived services cannot be listed, and this plan creates services. To adopt an archived one, write its ID: `import: ID`.",
  "live.unchecked":
    "A live resource or list could not be read, so it was not compared. The message says why.",
  "live.standing": "A service is suspended or archived. No plan changes that. Resume or restore it.",
  "live.generated":
    "A generated value was changed outside rnv. No plan changes that. To accept it: `apply -refresh-only`. For a new value: `apply -replace` with the address.",
  "live.moved":
    "A service was moved to another environment, and its block declares none. No plan changes that. Declare the environment, or move the service back.",
  "live.not_deployed":
    "Nothing runs that could be restarted, suspended or resumed. Deploy the service: `rnv deploy ADDRESS`.",
  "live.rolled_back":
    "`rnv rollback` serves an earlier release, and what was applied last declares a newer one. The next deployment brings that back. To keep the rollback, pin its commit in `deploy.commit`, or revert the change in Git.",
  "live.import_missing":
    "The ID to import does not exist, or belongs to another type or parent. Check it in the dashboard.",
  "live.import_undeclared":
    "The address to import is not declared, so the next plan would delete it. Declare it first; the message shows the block.",
  "live.preserve_missing":
    "A variable with `preserve: true` does not exist, or its service is replaced. Create it in the dashboard, or declare a value.",
  "live.data_missing":
    "A data source finds no such resource. Check the name or ID; refer to resources of this program directly.",
  "live.hosting_off":
    "Hosting is off in this workspace, so nothing can be deployed. Enable it in the dashboard, then run the command again.",
  "live.stale":
    "The API shows an older version than the last change, or leaves out what was written in the last two minutes. Run the command again in a few minutes. If the platform was restored from a backup: `rnv apply -refresh-only`, and with Terraform `RNV_ACCEPT_RESTORED=1` for one run.",
  "live.worker_offline": "No worker is online. Deployments stay queued until one is.",
  "plan.adopted": "An existing resource is recorded instead of created. The message names it.",
  "plan.cycle":
    "Resources depend on each other in a cycle. Remove one of the references or `dependsOn` entries.",
  "plan.price": "The plan changes the estimated monthly price of a service. Review the amount.",
  "plan.not_on_offer":
    "The catalog has no such kind, plan, region, runtime or environment. The message lists what is available.",
  "plan.invalid_combination":
    "Two fields exclude each other, or one lacks another. The message says which to keep.",
  "plan.no_source":
    "A new service has no repository, so a deployment of it may be refused. The API does not document other sources.",
  "plan.limit":
    "A setting is above a limit that the catalog lists for the plan of the service, or more services would have a plan than its `workspaceLimit` says. The API may refuse it. Choose another plan or a lower value.",
  "plan.live_changed_too": "A field was changed both here and outside rnv. Your value wins.",
  "plan.not_deployed":
    "A change is saved and cannot be deployed, because the service is archived or its deployment is not planned. The message says what to do.",
  "plan.replacement":
    "Terraform deletes this resource and creates it again, because a field cannot be changed in place. Read what is lost before you approve.",
  "plan.retained":
    "A resource stays in the state, archived or retained, and is not destroyed. To forget it: `rnv state rm ADDRESS`.",
  "plan.variable_deleted":
    "Keys that leave an `rnv_variables` are deleted from the service. Read them before you approve.",
  "plan.target_unknown":
    "`-target`, `-exclude`, `-replace`, `-confirm-delete` or `removed` names an address that is neither declared nor recorded: check its spelling. Or `-replace` names one that the other two leave out.",
  "plan.data_deferred":
    "A data source depends on something that this plan changes. Apply that first with `-target`, or refer to the resource itself.",
  "plan.data_unusable": "A data source cannot be used for this value: it is not known when the plan is made.",
  "plan.stale": "The saved plan is out of date: something changed. Plan again and review it.",
  "plan.damaged": "The saved plan is not as it was written, or of another version. Plan again.",
  "plan.digest":
    "The plan is not the one that was reviewed, or no review was found. Review the new plan, then give its digest.",
  "guard.prevent_destroy":
    "A protected resource would be destroyed. Set `preventDestroy: false` (or the stage's `protect: false`), apply, then remove it.",
  "guard.delete_unconfirmed":
    "A deletion is not confirmed. Pass `--confirm-delete ADDRESS` (a rollback: `--confirm`), or write `removed: [ADDRESS]`.",
  "guard.empty_manifest":
    "A manifest that declares nothing would destroy everything. `--allow-empty` confirms it.",
  "guard.name_changed":
    "A resource to delete was renamed outside rnv. Check that it is the right one, then run `rnv apply -refresh-only`.",
  "guard.holds_others":
    "A project to delete holds services that are not deleted with it. Delete or move them first; the message names them.",
  "guard.consumers":
    "A service that others refer to would be deleted, archived, suspended or renamed, or a variable that they name. Remove the reference first; for a deletion `--confirm-consumers ADDRESS`, or `removed: [{ address: ADDRESS, consumers: true }]`, confirms it.",
  "guard.promote":
    "A service cannot be promoted: it is not healthy, it runs another commit than its stage pins, or its live deployment names no commit. The message says which; for the last, pin `deploy.commit` in the source stage.",
  "guard.untrusted":
    "An untrusted manifest asks for a command, file, state or variable that is not allowed. List the name in `RNV_ALLOW_ENV`, or run it where it is trusted.",
  "guard.stack":
    "The state belongs to another stack. Put `${stack}` into `RNV_STATE`; after a rename of the stack, write its new name into the state.",
  "guard.local_state":
    "In CI the run would create a state file that is lost with the runner. Set `RNV_STATE` or `state:` of the stage.",
  "guard.repository":
    "The state belongs to another repository. Use a state of its own; after a rename of the repository run `rnv state claim`.",
  "guard.plan_unauthenticated":
    "A saved plan carries confirmations or overrides, and no key shows that `rnv plan` wrote them. Set `RNV_STATE_KEY` for both commands; `rnv apply FILE` takes `--confirm-delete` and `--override-policy` again.",
  "guard.review_key":
    "`rnv ci plan` and `rnv ci apply` of a manifest with variables need `RNV_STATE_KEY`. Make one with `openssl rand -hex 32` and give it to both jobs.",
  "guard.stage":
    "The state, plan or import belongs to another stage, or a name lacks `${stage.id}`. Pass the right `--stage`.",
  "guard.workspace":
    "The stage belongs to another workspace. Set `RNV_WORKSPACE_ID` and the key of that workspace.",
  "guard.policy":
    "A policy fails. Change the manifest; an overridable policy passes with `--override-policy NAME`.",
  "guard.condition": "A `precondition` does not hold. Nothing is applied until it does.",
  "policy.invalid":
    "A policy cannot be read: its syntax, a name, its type, or a name that is used twice. The message points at it.",
  "policy.failed": "An advisory or overridden policy fails. Nothing is blocked.",
  "test.invalid": "A test file is not valid. `rnv schema test` describes it.",
  "drift.acceptance_expired": "Accepted drift has expired. Remove or renew the entry of `rnv.drift.yaml`.",
  "drift.acceptance_unused": "An entry of `rnv.drift.yaml` matches no drift. Remove it.",
  "apply.failed": "A change failed. Fix the cause, then run `rnv apply` again.",
  "apply.not_taken": "The platform accepted a change, but a field kept another value. The message names it.",
  "apply.uncertain":
    "It is unknown whether a write happened: its answer was lost. Run the command that the message names; it checks first and repeats nothing.",
  "apply.delete_failed":
    "The platform could not delete a resource. Run `rnv apply` again to request it again.",
  "apply.deploy_failed":
    "A deployment failed or was cancelled. The message has the reason. Fix it, then run `rnv apply` again.",
  "apply.deploy_timeout":
    "A deployment did not finish in time. Run the command again to keep waiting, or raise `deploy.timeout`.",
  "apply.condition_failed":
    "A `postcondition` does not hold. What was applied is saved; the next apply checks it again.",
  "apply.value_generated":
    "A variable was created again with its service, and its generated value is a new one. Give it to what used the old one.",
  "apply.awaiting_checkout":
    "The change is saved and not live. Finish the checkout in the dashboard, then run `rnv apply` again.",
  "apply.interrupted": "The run was interrupted. Run the command again to continue.",
  "apply.body_too_large": "A request is larger than the platform accepts. Shorten the value.",
  "api.unauthorized":
    "The key is missing, wrong or expired. Set `RNV_API_KEY` or `RNV_API_KEY_FILE` to a key of this workspace.",
  "api.forbidden": "The key may not do this. Writes need the write scope, and its owner the role.",
  "api.not_found":
    "The platform does not know the resource. Check `RNV_WORKSPACE_ID` and the workspace of the key.",
  "api.refused": "The platform refused the request. The message has its reason.",
  "api.conflict":
    "The platform reports a conflict with another change. Run `rnv plan`, then the command again.",
  "api.rate_limited":
    "The platform limits requests for longer than rnv waits. Wait, then run the command again.",
  "api.unavailable":
    "The platform cannot be reached or does not answer. Check the address, the network and the proxy.",
  "api.deprecated":
    "The platform announced that it will remove a part of its API, with `Deprecation` or `Sunset` headers. Update rnv before that date. Each run says it once.",
  "api.malformed":
    "An answer is not what the interface documents. Check that `RNV_BASE_URL` is the API and not a login page or proxy.",
  "internal.bug": "This is a bug in rnv. Please report it with the command and the message.",
} as const satisfies Readonly<Record<string, string>>;
