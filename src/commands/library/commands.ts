/** What the commands of the library need: loaded with the first, because a program that imports them need not run one. */
export { planDocument } from "../../plan/document";
export { savePlan } from "../../plan/saved-plan";
export {
  deploymentsDocument,
  diagnosticData,
  driftDocument,
  statusDocument,
} from "../../report/documents";
export { apply } from "../apply";
export { drift } from "../drift";
export { exportManifest } from "../export-manifest";
export { importResource } from "../import-resource";
export { plan } from "../plan";
export { deployments, status } from "../status";
export { validate } from "../validate";
