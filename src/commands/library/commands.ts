/** The first command of a program loads these: a program that only imports the library need not. */
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
