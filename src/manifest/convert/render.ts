import type { Plain } from "../../model/value";
import { escapeTemplate } from "../tree";
import { type ConvertedMap, type Converter, dropped, Fields, literalOf, logicalNameOf } from "./fields";

/** Types whose word is another one here. */
const kinds = new Map([
  ["pserv", "worker"],
  ["keyvalue", "redis"],
]);

/** Addresses of the services and databases of a blueprint, by name. */
type Addresses = ReadonlyMap<string, string>;

/** A part of a blueprint that lists services: the file itself, or an environment of a project. */
interface BlueprintPart {
  readonly fields: Fields;
  readonly project?: string;
  readonly environment?: string | undefined;
}

/** `render.yaml`: a blueprint of services, databases and groups of variables, which projects may contain. */
export const convertRender: Converter = (root, report, { repository }) => {
  const file = new Fields(root, "render", report, escapeTemplate);
  const sections: BlueprintPart[] = [
    ...[file, file.map("ungrouped")].flatMap((fields) => (fields ? [{ fields }] : [])),
    ...file.maps("projects").flatMap(environmentsOf),
  ];
  const entries = sections.flatMap((section) => [
    ...section.fields
      .maps("services")
      .map((fields) => ({ ...section, fields, type: fields.text("type") ?? "web" })),
    ...section.fields.maps("databases").map((fields) => ({ ...section, fields, type: "postgres" })),
  ]);
  const addresses = new Map(
    entries.map(({ fields, project }) => {
      const name = fields.text("name") ?? "";
      const names = project === undefined ? [name] : [project, name];
      return [name, ["service", ...names.map(logicalNameOf)].join(".")];
    }),
  );
  const groups = sections.flatMap(({ fields }) =>
    fields.maps("envVarGroups").map((group) => {
      const name = logicalNameOf(group.text("name") ?? "");
      return [name, variablesIn(group, addresses).variables] as const;
    }),
  );
  const services = entries.map(({ type, fields, project, environment }) => ({
    ...convertService(type, fields, addresses, repository),
    project,
    environment,
  }));
  file.finish();
  return { services, groups: Object.fromEntries(groups) };
};

function environmentsOf(project: Fields): readonly BlueprintPart[] {
  const name = project.text("name") ?? "project";
  return project.maps("environments").map((fields) => {
    const environment = fields.text("name");
    const isDefault = environment === undefined || /^production$/i.test(environment);
    if (!isDefault)
      fields.drop("name", `the project ${name} needs the environment ${environment} before the first apply`);
    return { fields, project: name, environment: isDefault ? undefined : environment };
  });
}

function convertService(type: string, fields: Fields, addresses: Addresses, repository?: string) {
  const before = fields.text("env");
  const runtime = fields.text("runtime") ?? before;
  const kind = kinds.get(type) ?? (runtime === "static" ? "static" : type);
  const name = fields.text("name") ?? kind;
  if (type === "pserv")
    fields.note("type", `${name}: a private service becomes a worker: it has no public address`);
  const given = configurationIn(fields, runtime);
  const isBuilt = kind !== "postgres" && kind !== "redis" && given.image === undefined;
  const built = isBuilt ? (given.repository ?? repository) : given.repository;
  if (isBuilt && built === undefined) fields.note("type", `${name}: the repository is not said in this file`);
  return { name, kind, configuration: { ...given, repository: built }, ...variablesIn(fields, addresses) };
}

function configurationIn(fields: Fields, runtime: string | undefined): ConvertedMap {
  const image = fields.map("image");
  const scaling = fields.map("scaling");
  const filter = fields.map("buildFilter");
  const [start, dockerStart] = [commandOf(fields, "startCommand"), commandOf(fields, "dockerCommand")];
  const isBuilt = runtime !== undefined && !["static", "image", "docker"].includes(runtime);
  if (scaling !== undefined)
    fields.note("scaling", "which word turns automatic scaling on, the service does not show");
  return {
    repository: fields.text("repo"),
    branch: fields.text("branch"),
    image: image?.text("url"),
    rootDirectory: fields.text("rootDir"),
    runtime: isBuilt ? runtime : undefined,
    buildCommand: commandOf(fields, "buildCommand"),
    preDeployCommand: commandOf(fields, "preDeployCommand"),
    startCommand: start ?? dockerStart,
    dockerfilePath: relative(fields.text("dockerfilePath")),
    dockerContext: relative(fields.text("dockerContext")),
    publishDirectory: relative(fields.text("staticPublishPath")),
    healthCheckPath: fields.text("healthCheckPath"),
    schedule: fields.text("schedule"),
    includePaths: filter?.texts("paths"),
    ignorePaths: filter?.texts("ignoredPaths"),
    databaseName: fields.text("databaseName"),
    databaseUser: fields.text("user"),
    databaseVersion: fields.text("postgresMajorVersion"),
    ipAllowList: addressesIn(fields),
    evictionPolicy: fields.text("maxmemoryPolicy"),
    replicas: scaling === undefined ? fields.number("numInstances") : undefined,
    minReplicas: scaling?.number("minInstances"),
    maxReplicas: scaling?.number("maxInstances"),
    targetCpu: scaling?.number("targetCPUPercent"),
    targetMemory: scaling?.number("targetMemoryPercent"),
  };
}

function commandOf(fields: Fields, key: string): string | undefined {
  const text = fields.text(key)?.trim();
  if (text?.includes("\n")) fields.drop(key, "the command has several lines, which the service may not take");
  return text;
}

const relative = (path: string | undefined): string | undefined => path?.replace(/^\.\/(?=.)/, "");

/** `[{ source: 10.0.0.0/8, description: office }]` */
const addressesIn = (fields: Fields): readonly string[] =>
  fields.maps("ipAllowList").flatMap((one) => {
    one.take("description");
    return one.text("source") ?? [];
  });

function variablesIn(fields: Fields, addresses: Addresses) {
  const variables: Record<string, Plain> = {};
  const variablesFrom: Plain[] = [];
  for (const one of fields.maps("envVars")) {
    const group = one.text("fromGroup");
    const key = one.text("key");
    if (group !== undefined) variablesFrom.push({ group: logicalNameOf(group) });
    else if (key !== undefined) variables[key] = writtenOf(key, one, addresses);
  }
  return { variables, variablesFrom };
}

function writtenOf(key: string, fields: Fields, addresses: Addresses): Plain {
  const generated = fields.text("generateValue");
  const isAsked = fields.text("sync") === "false";
  const text = fields.text("value");
  const from = fields.map("fromService") ?? fields.map("fromDatabase");
  fields.take("fromDatabase");
  if (generated === "true") return { generate: { length: 32 } };
  if (from !== undefined) return referenceOf(key, from, addresses);
  if (isAsked || text === undefined) return { fromEnv: key };
  return literalOf(key, text);
}

/** `host` is the internal host; what else another service has is not shown by this one. */
function referenceOf(key: string, from: Fields, addresses: Addresses): Plain {
  const name = from.text("name") ?? "";
  const property = from.text("property");
  const variable = from.text("envVarKey");
  const address = addresses.get(name);
  from.take("type");
  if (address !== undefined && property === "host") return `\${${address}.internalHost}`;
  if (address !== undefined && variable === "RENDER_EXTERNAL_URL") return `\${${address}.url}`;
  const what =
    address === undefined ? `${name} is not in this file` : `${name} shows no ${property ?? variable}`;
  from.report(dropped(from.node.range, `${key}: ${what}; it is taken from the environment`));
  return { fromEnv: key };
}
