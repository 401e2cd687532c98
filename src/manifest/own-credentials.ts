/**
 * The one list of what rnv itself is trusted with. A manifest is reviewed less strictly than a pipeline: it must not
 * hand these on, and no program that it names is given them.
 */
const ownCredentials = new Set([
  "RNV_API_KEY",
  "RNV_API_KEY_FILE",
  "RNV_STATE_KEY",
  "RNV_STATE_KEY_PREVIOUS",
  "RNV_STATE_HTTP_PASSWORD",
  "RNV_STATE_HTTP_CLIENT_PRIVATE_KEY_PEM",
  "TF_HTTP_PASSWORD",
  "TF_HTTP_CLIENT_PRIVATE_KEY_PEM",
  "RNV_STATE_HTTP_CLIENT_PRIVATE_KEY_PEM",
]);

/** Also credentials of the state's store, which a service may well have under the same name. */
const storeCredentials = new Set(["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]);

/** Whether a variable of the environment may not become the value of a secret. */
export const isOwnCredential = (name: string): boolean => ownCredentials.has(name);

/** Whether a variable of the environment may not be interpolated anywhere. */
export const isCredential = (name: string): boolean => isOwnCredential(name) || storeCredentials.has(name);

/**
 * Names that end in a word for secrets: tokens of CI (`GITHUB_TOKEN`, `CI_JOB_TOKEN`, `NPM_TOKEN`), passwords and
 * private keys. `KEY` alone is no such word (`CACHE_KEY`, `SSH_PUBLIC_KEY`), nor is one in the middle
 * (`TOKEN_LIFETIME`).
 */
const secretEnding =
  /(^|_)(TOKEN|JWT|JWT_V2|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS|PAT|(API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|ACCOUNT)_KEY|PRIVATE_KEY_PEM)$/i;
/** Frameworks put such a value into the pages that everybody loads. */
const isPublic = (name: string): boolean =>
  /(^|_)(PUBLIC|PUBLISHABLE)_/i.test(name) || /^(VITE|REACT_APP|EXPO)_/.test(name);

/** Whether the name of a variable says that its value is a secret, which no plan may show. */
export const isSecretName = (name: string): boolean => secretEnding.test(name) && !isPublic(name);
