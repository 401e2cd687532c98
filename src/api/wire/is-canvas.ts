import type { Canvas } from "./canvas";
import type { Service } from "./service";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether a body is a canvas as it stands: the schema `canvas` would accept it and return it unchanged. A canvas of
 * 2,000 services is checked a hundred times faster this way; what this refuses, the schema judges. It must never
 * accept what the schema refuses, or what the schema would complete.
 */
export function isCanvas(body: unknown): body is Canvas {
  return (
    isFields(body) &&
    isListOf(body.nodes, isService) &&
    isListOf(body.groups, isGroup) &&
    isListOf(body.edges, isEdge) &&
    isLayout(body.layout) &&
    isFields(body.scope) &&
    isIdOrNull(body.scope.projectId) &&
    isIdOrNull(body.scope.environmentId)
  );
}

/** The same for the answer that holds one service: a run of many writes meets thousands of them. */
export function isServiceAnswer(body: unknown): body is { readonly service: Service } {
  return isFields(body) && isService(body.service);
}

/** An object of JSON. One with a key `__proto__` is left to the schema, which drops it. */
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !Object.hasOwn(value, "__proto__");

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTextIfAny = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "string";
const isId = (value: unknown): boolean => typeof value === "string" && value !== "";
const isIdOrFields = (value: unknown): boolean => isId(value) || isFields(value);
const isIdOrNull = (value: unknown): boolean => value === null || isId(value);
const isIdIfAny = (value: unknown): boolean => value === undefined || isIdOrNull(value);
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);

function isService(value: unknown): boolean {
  return (
    isFields(value) &&
    isId(value.id) &&
    isText(value.name) &&
    isText(value.kind) &&
    isIdIfAny(value.projectId) &&
    isIdIfAny(value.environmentId) &&
    (value.environmentGroupIds === undefined || isListOf(value.environmentGroupIds, isIdOrFields)) &&
    typeof value.archived === "boolean" &&
    isFields(value.configuration) &&
    isTextIfAny(value.createdAt) &&
    isTextIfAny(value.updatedAt) &&
    isTextIfAny(value.deletedAt) &&
    isTextIfAny(value.deletionRequestedAt) &&
    isIdIfAny(value.deploymentId) &&
    isTextIfAny(value.deploymentUpdatedAt) &&
    isIdIfAny(value.liveDeploymentId) &&
    isTextIfAny(value.displayStatus) &&
    isTextIfAny(value.lifecycleStatus) &&
    isTextIfAny(value.status) &&
    isTextIfAny(value.healthStatus) &&
    isTextIfAny(value.healthCheckedAt) &&
    isTextIfAny(value.runtimeDetail) &&
    isTextIfAny(value.internalHost) &&
    isTextIfAny(value.url) &&
    isPriceIfAny(value.estimatedMonthly)
  );
}

function isPriceIfAny(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isFields(value) && isNumber(value.ngn) && isNumber(value.usd) && typeof value.priced === "boolean";
}

function isGroup(value: unknown): boolean {
  return (
    isFields(value) &&
    isText(value.id) &&
    isText(value.name) &&
    isIdIfAny(value.environmentId) &&
    isListOf(value.serviceIds, isId)
  );
}

function isEdge(value: unknown): boolean {
  return (
    isFields(value) &&
    isText(value.id) &&
    isText(value.source) &&
    isText(value.target) &&
    isText(value.kind) &&
    (value.keys === undefined || isListOf(value.keys, isText))
  );
}

function isLayout(value: unknown): boolean {
  if (!isFields(value) || !isNumber(value.revision) || !isFields(value.positions)) return false;
  return Object.values(value.positions).every(isPoint) && (value.viewport === null || isView(value.viewport));
}

const isPoint = (value: unknown): boolean => isFields(value) && isNumber(value.x) && isNumber(value.y);
const isView = (value: unknown): boolean => isPoint(value) && isNumber((value as Fields).zoom);
