/** What rnv itself is trusted with. A manifest is reviewed less strictly than a pipeline: it must not hand these on. */
const ownCredentials = new Set([
  "RNV_API_KEY",
  "RNV_STATE_KEY",
  "RNV_STATE_KEY_PREVIOUS",
  "RNV_STATE_HTTP_PASSWORD",
  "TF_HTTP_PASSWORD",
]);

/** Also credentials of the state's store, which a service may well have under the same name. */
const storeCredentials = new Set(["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]);

/** Whether a variable of the environment may not become the value of a secret. */
export const isOwnCredential = (name: string): boolean => ownCredentials.has(name);

/** Whether a variable of the environment may not become text that plans show. */
export const isCredential = (name: string): boolean => isOwnCredential(name) || storeCredentials.has(name);
