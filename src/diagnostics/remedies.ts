/** Next steps in the words of the command line; Terraform's provider has words of its own. */
const remedies = {
  "key.form": "check RNV_API_KEY or RNV_API_KEY_FILE for spaces and line breaks",
  "key.renew": "set RNV_API_KEY or RNV_API_KEY_FILE to a key of this workspace that has not expired",
  "key.place": "leave them out; the key goes into RNV_API_KEY or RNV_API_KEY_FILE",
  "workspace.check": "check RNV_WORKSPACE_ID, and that the key belongs to this workspace",
  "address.form": "set RNV_BASE_URL to an address such as https://api.example.com/api/v1",
  "address.service":
    "check that RNV_BASE_URL is the platform and not a proxy or a login page; if it is, a newer rnv may know this answer",
  "address.route": "this service does not offer the operation; check that RNV_BASE_URL ends in its /api/v1",
  "address.network": "check RNV_BASE_URL and the network, then run the command again",
  "address.moved": "set RNV_BASE_URL to the address that the platform itself uses",
  "service.slow":
    "the platform is down or slow: run the command again later; --timeout bounds one answer (1m unless given)",
  "write.look": "run the same command again: it first finds out what happened, and sends nothing twice",
  "live.look": "look at its state with rnv plan, then run the command again",
  "gaps.list": "rnv schema gaps lists the settings",
  "variable.value": "give it a `value`, or `preserve: true` to leave what the platform has",
  "generated.left": "to accept it: rnv apply -refresh-only; for a new value: rnv apply -replace ADDRESS",
  "service.deploy": "deploy it: rnv deploy ADDRESS",
  "service.restore":
    "restore it: take archived out of it and apply, or use the dashboard; then run the command again",
  "project.contents":
    "destroy what it still holds where that is managed, then run the same command again; to keep it and stop managing it: rnv state rm ADDRESS",
} as const;

export type Remedy = keyof typeof remedies;

/** Returns a next step, about a resource where it names one, as the fields of a diagnostic. */
export const remedy = (
  kind: Remedy,
  address = "ADDRESS",
): { readonly hint: string; readonly remedy: Remedy } => ({
  hint: remedies[kind].replace("ADDRESS", address),
  remedy: kind,
});
