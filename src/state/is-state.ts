type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether a parsed document has the shape of a state, decided many times faster than by its schema. What this refuses,
 * the schema judges, and says why; it must never accept what the schema refuses. Run and open writes, which a state at
 * rest has none of, are left to the schema.
 */
export function isState(document: Fields): boolean {
  const { format, version, lineage, serial, workspaceId, baseUrl, keyId, resources, outputs } = document;
  return (
    format === "rnv-state" &&
    version === 1 &&
    isFilled(lineage) &&
    isCount(serial) &&
    typeof workspaceId === "string" &&
    typeof baseUrl === "string" &&
    (keyId === null || typeof keyId === "string") &&
    isFields(outputs) &&
    document.run === null &&
    (document.deleted === undefined ||
      (isFields(document.deleted) && Object.values(document.deleted).every(isDeleted))) &&
    Array.isArray(document.open) &&
    document.open.length === 0 &&
    isFields(resources) &&
    Object.values(resources).every(isResource)
  );
}

function isResource(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { onRemove, inputs, dependsOn, ignoreChanges, madeWith } = value;
  return (
    isFilled(value.type) &&
    isFilled(value.id) &&
    typeof value.name === "string" &&
    (value.parent === undefined || isFilled(value.parent)) &&
    Array.isArray(dependsOn) &&
    dependsOn.every(isFilled) &&
    isFields(value.applied) &&
    isFields(value.computed) &&
    (value.updatedAt === undefined || typeof value.updatedAt === "string") &&
    (value.writtenAt === undefined || typeof value.writtenAt === "string") &&
    typeof value.preventDestroy === "boolean" &&
    (onRemove === "delete" || onRemove === "archive" || onRemove === "retain") &&
    (value.initial === undefined || isFields(value.initial)) &&
    (madeWith === undefined || (Array.isArray(madeWith) && madeWith.every(isFilled))) &&
    (ignoreChanges === undefined || (Array.isArray(ignoreChanges) && ignoreChanges.every(isFilled))) &&
    isCount(value.writes) &&
    (value.retained === undefined || value.retained === true) &&
    (value.deletionFailed === undefined || typeof value.deletionFailed === "string") &&
    (inputs === undefined || (isFields(inputs) && Object.values(inputs).every(isCount)))
  );
}

const isDeleted = (value: unknown): boolean =>
  isFields(value) &&
  isFilled(value.type) &&
  typeof value.name === "string" &&
  isFilled(value.address) &&
  typeof value.at === "string";

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isFilled = (value: unknown): boolean => typeof value === "string" && value !== "";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
