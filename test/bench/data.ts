import { randomUUID } from "node:crypto";
import { documentedDefaults } from "../../src/api/wire/shapes";

/** Declared fields of a service: 12 or all. */
export type Width = "lean" | "full";

type Fields = Readonly<Record<string, unknown>>;

/** Ten fields of the configuration; name and kind make it twelve. */
const leanFields = (index: number): Fields => ({
  repository: `https://git.example.com/team/service-${index}`,
  branch: "main",
  runtime: "node",
  plan: "starter",
  region: "auto",
  port: 3000 + (index % 5000),
  replicas: 1 + (index % 3),
  buildCommand: "npm ci && npm run build",
  startCommand: `node server.js --shard ${index}`,
  healthCheckPath: "/healthz",
});

const fieldsOf = (index: number, width: Width): Fields =>
  width === "lean"
    ? leanFields(index)
    : {
        ...documentedDefaults,
        ...leanFields(index),
        description: `Service number ${index}`,
        ignorePaths: ["docs", "README.md"],
        ipAllowList: ["10.0.0.0/8"],
      };

export interface Shape {
  readonly count: number;
  readonly width: Width;
  /** Layers of ten, each service naming one of the layer before. */
  readonly chained?: boolean;
  /** Services of one project; 500 unless said. */
  readonly perProject?: number;
  /** Variables of each service. */
  readonly variables?: number;
  /** Each project in a file of its own: of one manifest in a folder `rnv/`, or each a manifest in a folder of its own. */
  readonly isSplit?: true | "fleet";
}

/** So many variables of a service. */
export const variablesOf = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`V${index}`, `value ${index}`]));

/** The desired state as plain data: the content of the manifest, and the input of the floor program. */
export function desiredServices(
  shape: Shape,
): { project: string; name: string; kind: string; fields: Fields; variables?: Fields | undefined }[] {
  const perProject = shape.perProject ?? 500;
  const variables = shape.variables ? variablesOf(shape.variables) : undefined;
  return Array.from({ length: shape.count }, (_, index) => {
    const project = `p${Math.floor(index / perProject)}`;
    const fields = fieldsOf(index, shape.width);
    const before = index - 10;
    return {
      project,
      name: `s${index}`,
      kind: "web",
      variables,
      fields:
        shape.chained === true && before >= 0
          ? {
              ...fields,
              startCommand: `node server.js --peer \${service.p${Math.floor(before / perProject)}.s${before}.internalHost}`,
            }
          : fields,
    };
  });
}

/** A manifest of that many services in YAML as people write it, one key a line: each file with its text. */
export function manifestFiles(shape: Shape): ReadonlyMap<string, string> {
  const services = desiredServices(shape);
  if (!shape.isSplit) return new Map([["rnv.yaml", manifestOf(services)]]);
  const projects = [...new Set(services.map(({ project }) => project))];
  return new Map(
    projects.map((name) => [
      shape.isSplit === "fleet" ? `${name}/rnv.yaml` : `rnv/${name}.yaml`,
      manifestOf(services.filter(({ project }) => project === name)),
    ]),
  );
}

function manifestOf(services: ReturnType<typeof desiredServices>): string {
  const lines = ["projects:"];
  let open = "";
  for (const { project, name, kind, fields, variables } of services) {
    if (project !== open) lines.push(`  ${project}:`, "    services:");
    open = project;
    lines.push(`      ${name}:`, `        name: ${name}`, `        kind: ${kind}`, "        configuration:");
    for (const [field, value] of Object.entries(fields)) lines.push(`          ${field}: ${scalar(value)}`);
    lines.push("        deploy: { when: never }");
    if (variables) lines.push(`        variables: ${JSON.stringify(variables)}`);
  }
  return `${lines.join("\n")}\n`;
}

function scalar(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(scalar).join(", ")}]`;
  if (typeof value !== "string") return String(value);
  return /^[A-Za-z][A-Za-z0-9_-]*$/.test(value) ? value : JSON.stringify(value);
}

const inputOf = (shape: Shape, index: number): Fields => ({
  name: `s${index}`,
  kind: "web",
  ...fieldsOf(index, shape.width),
});

/** The same number of `terraform_data` with an input of the same size. */
export function terraformConfiguration(shape: Shape): string {
  const resources = Array.from({ length: shape.count }, (_, index) => [
    `s${index}`,
    { input: inputOf(shape, index) },
  ]);
  return JSON.stringify({ resource: { terraform_data: Object.fromEntries(resources) } });
}

/** The state that applying that configuration leaves; applying 5,000 takes minutes and is not measured. */
export function terraformState(shape: Shape): string {
  const resources = Array.from({ length: shape.count }, (_, index) => {
    const value = inputOf(shape, index);
    const typed = { value, type: ["object", Object.fromEntries(Object.entries(value).map(typeOf))] };
    return {
      mode: "managed",
      type: "terraform_data",
      name: `s${index}`,
      provider: 'provider["terraform.io/builtin/terraform"]',
      instances: [
        {
          schema_version: 0,
          attributes: { id: randomUUID(), input: typed, output: typed, triggers_replace: null },
          sensitive_attributes: [],
        },
      ],
    };
  });
  return JSON.stringify({
    version: 4,
    terraform_version: "1.5.0",
    serial: 1,
    lineage: randomUUID(),
    outputs: {},
    resources,
    check_results: null,
  });
}

const typeOf = ([field, value]: [string, unknown]): [string, unknown] => [
  field,
  Array.isArray(value)
    ? ["tuple", value.map(() => "string")]
    : typeof value === "boolean"
      ? "bool"
      : typeof value,
];
