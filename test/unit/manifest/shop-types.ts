import * as z from "zod";
import type { AttributeRule, ResourceType } from "../../../src/model/resource-type";

const update: AttributeRule = { change: "update" };
const local: AttributeRule = { change: "local" };

const rest = {
  follows: [],
  defaults: () => new Map(),
  removedWithParent: false,
  removal: "delete" as const,
  groups: [],
  parents: [],
  computed: { id: { valueType: "string" as const, doc: "Its id.", stable: true } },
};

const project: ResourceType = {
  ...rest,
  type: "project",
  doc: "A group of services.",
  schema: z.strictObject({
    name: z.string().min(1).max(100).optional().describe("Its name."),
    description: z.string().optional(),
    color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/, "expected a colour such as #2f6fed")
      .optional(),
  }),
  rules: { name: update, description: update, color: update },
  manifest: { key: "projects", within: ["root"], shape: "map", meta: ["lifecycle", "import"] },
  nameAttribute: "name",
};

const configuration = z.strictObject({
  repository: z.string().optional(),
  branch: z.string().min(1).optional(),
  runtime: z.string().optional(),
  plan: z.string().optional(),
  port: z.int().min(1).max(65535).optional(),
  replicas: z.int().min(0).optional(),
  backupEnabled: z.boolean().optional(),
  scaling: z.enum(["manual", "automatic"]).optional(),
  ipAllowList: z.array(z.string().min(1)).optional(),
});

const service: ResourceType = {
  ...rest,
  type: "service",
  doc: "A service.",
  schema: z.strictObject({
    name: z.string().min(1).optional(),
    kind: z.string().min(1).describe("Immutable."),
    environment: z.string().optional(),
    archived: z.boolean().optional(),
    configuration: configuration.optional(),
  }),
  rules: {
    name: update,
    kind: { change: "replace" },
    environment: { change: "replace" },
    archived: update,
    projectId: { change: "replace" },
    ...Object.fromEntries(Object.keys(configuration.shape).map((key) => [`configuration.${key}`, update])),
  },
  computed: {
    ...rest.computed,
    url: { valueType: "string", doc: "Public URL.", stable: false },
    internalHost: { valueType: "string", doc: "Host.", stable: true },
  },
  groups: ["configuration"],
  parents: [{ type: "project", attribute: "projectId" }],
  manifest: { key: "services", within: ["project", "root"], shape: "map", meta: ["lifecycle", "import"] },
  nameAttribute: "name",
  archives: { attribute: "archived", unlisted: "archived services" },
};

const variable: ResourceType = {
  ...rest,
  type: "variable",
  doc: "A variable.",
  schema: z.strictObject({
    key: z.string().optional(),
    value: z.string().max(1000).optional(),
    preserve: z.boolean().optional(),
  }),
  rules: {
    key: { change: "replace" },
    value: { change: "update", secret: true },
    preserve: local,
    serviceId: { change: "replace" },
  },
  parents: [{ type: "service", attribute: "serviceId" }],
  manifest: { key: "variables", within: ["service"], shape: "map", shorthand: "value" },
  nameAttribute: "key",
  preservedBy: "preserve",
  removedWithParent: true,
};

const deployment: ResourceType = {
  ...rest,
  type: "deployment",
  doc: "A deployment.",
  schema: z.strictObject({
    when: z.enum(["changed", "always", "never"]).optional(),
    commit: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/, "expected 40 to 64 lowercase hexadecimal digits")
      .optional(),
    wait: z.boolean().optional(),
    timeout: z.string().optional(),
  }),
  rules: { when: local, commit: update, wait: local, timeout: local, serviceId: { change: "replace" } },
  parents: [{ type: "service", attribute: "serviceId" }],
  manifest: { key: "deploy", within: ["service"], shape: "single", implicit: true },
  removal: "forget",
  follows: ["variable"],
};

const point = z.strictObject({ x: z.number(), y: z.number() });

const layout: ResourceType = {
  ...rest,
  type: "layout",
  doc: "A layout.",
  schema: z.strictObject({ positions: z.union([z.literal("auto"), z.record(z.string(), point)]).optional() }),
  rules: { positions: update, projectId: { change: "replace" } },
  parents: [{ type: "project", attribute: "projectId" }],
  manifest: { key: "layout", within: ["project"], shape: "single", shorthand: "positions" },
};

/** Resource types of the shape the product has: nested maps, a shorthand, an implicit block. */
export const shopTypes: readonly ResourceType[] = [project, service, variable, deployment, layout];
