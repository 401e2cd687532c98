import type { Remedy } from "../diagnostics/remedies";

/** Next steps in the words of Terraform, where those of the command line do not fit. */
export const remedies: Readonly<Record<Remedy, string>> = {
  "key.form": "check api_key, RNV_API_KEY or RNV_API_KEY_FILE for spaces and line breaks",
  "key.renew": "set api_key, RNV_API_KEY or RNV_API_KEY_FILE to a key of this workspace that has not expired",
  "key.place": "leave them out; the key goes into api_key, RNV_API_KEY or RNV_API_KEY_FILE",
  "workspace.check": "check workspace_id or RNV_WORKSPACE_ID, and that the key belongs to this workspace",
  "address.form": "set base_url or RNV_BASE_URL to an address such as https://api.example.com/api/v1",
  "address.service":
    "check that base_url or RNV_BASE_URL is the service and not a proxy or a login page; if it is, a newer version of this provider may know this answer",
  "address.route":
    "this service does not offer the operation; check that base_url or RNV_BASE_URL ends in its /api/v1",
  "address.network": "check base_url or RNV_BASE_URL and the network, then run the command again",
  "address.moved": "set base_url or RNV_BASE_URL to the address that the service itself uses",
  "service.slow": "the service is down or slow: run the command again later",
  "live.look": "see what is there now with terraform plan, then run the command again",
  "gaps.list": "the settings are listed in the provider's manual",
  "variable.value": "give it a value, or set preserve = true to leave what the service has",
  "project.contents":
    "delete what it still holds in the dashboard, then run the same command again; to keep it, take it out of the state with a removed block",
};
