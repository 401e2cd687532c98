import type { Plain } from "../../model/value";
import { LogicalNames } from "../logical-names";
import { type Converter, dropped, type Fields } from "./fields";
import { whyWithheld } from "./secrets";

/** Types whose word is another one here. */
const kinds = new Map([
  ["pserv", "worker"],
  ["keyvalue", "redis"],
  ["database", "postgres"],
]);

/** Addresses of services (`web NAME`, also `service NAME`) and databases, and logical names of groups (`group NAME`). */
type Names = ReadonlyMap<string, string>;

/** `render.yaml`: a blueprint of services, databases and groups of variables, which projects may contain. */
export const convertRender: Converter = (file, { repository }) => {
  const logicalNames = new LogicalNames();
  // The parts that list services: the file itself, and the environments of projects, whose keys are `outer`.
  const parts = [
    ...[file, file.map("ungrouped")].flatMap((fields) => (fields ? [{ fields, outer: [] }] : [])),
    ...file.maps("projects").flatMap((project) => environmentsOf(project, logicalNames)),
  ];
  const names = new Map<string, string>();
  const entries = parts.flatMap(({ fields: part, outer, ...place }) =>
    [...part.maps("services"), ...part.maps("databases")].map((fields) => {
      const type = fields.owner === "database" ? fields.owner : (fields.text("type") ?? "web");
      const name = fields.text("name") ?? type;
      const path = logicalNames.pathIn([...outer, "services"], name);
      const address = ["service", ...outer.slice(1), path.at(-1)].join(".");
      if (type !== "database") names.set(`service ${name}`, address);
      names.set(`${kinds.get(type) ?? type} ${name}`, address);
      return { ...place, fields, type, name, path };
    }),
  );
  const groups: Record<string, Plain> = {};
  for (const group of parts.flatMap(({ fields }) => fields.maps("envVarGroups"))) {
    const name = group.text("name") ?? "";
    const [, key = ""] = logicalNames.pathIn(["variableGroups"], name);
    names.set(`group ${name}`, key);
    groups[key] = variablesIn(group, names).variables;
  }
  const services = entries.map(({ fields, type, ...named }) => ({
    ...named,
    ...convertService(type, named.name, fields, names, repository),
  }));
  file.finish();
  return { services, groups };
};

function environmentsOf(project: Fields, logicalNames: LogicalNames) {
  const name = project.text("name") ?? "project";
  const outer = logicalNames.pathIn(["projects"], name);
  return project.maps("environments").map((fields) => {
    const environment = fields.text("name");
    const isDefault = environment === undefined || /^production$/i.test(environment);
    if (!isDefault)
      fields.drop("name", `the project ${name} needs the environment ${environment} before the first apply`);
    return { fields, outer, project: name, environment: isDefault ? undefined : environment };
  });
}

function convertService(type: string, name: string, fields: Fields, names: Names, repository?: string) {
  const runtime = fields.text("runtime") ?? fields.text("env");
  const kind = kinds.get(type) ?? (runtime === "static" ? "static" : type);
  if (type === "pserv") fields.note("type", `${name}: it becomes a worker, which has no public address`);
  if (runtime === "docker") fields.note("runtime", `${name}: the service shows no word for a Dockerfile`);
  const configuration = configurationIn(fields, runtime);
  const isBuilt = kind !== "postgres" && kind !== "redis" && configuration.image === undefined;
  if (isBuilt) configuration.repository ??= repository;
  if (isBuilt && configuration.repository === undefined)
    fields.note("type", `${name}: the repository is not said in this file`);
  const { variables, variablesFrom } = variablesIn(fields, names);
  return { kind, configuration, variables: { ...fields.secrets, ...variables }, variablesFrom };
}

function configurationIn(fields: Fields, runtime: string | undefined) {
  const image = fields.map("image");
  const scaling = fields.map("scaling");
  const filter = fields.map("buildFilter");
  const isBuilt = runtime !== undefined && !["static", "image", "docker"].includes(runtime);
  fields.drop("scaling", "which word turns automatic scaling on, the service does not show");
  return {
    repository: fields.text("repo"),
    branch: fields.text("branch"),
    image: image?.text("url"),
    rootDirectory: fields.text("rootDir"),
    runtime: isBuilt ? runtime : undefined,
    buildCommand: fields.command("buildCommand"),
    preDeployCommand: fields.command("preDeployCommand"),
    startCommand: fields.command("startCommand") ?? fields.command("dockerCommand"),
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

const relative = (path: string | undefined): string | undefined => path?.replace(/^\.\/(?=.)/, "");

/** `[{ source: 10.0.0.0/8, description: office }]` */
function addressesIn(fields: Fields): readonly string[] {
  const list = fields.maps("ipAllowList");
  if (list.length === 0) fields.drop("ipAllowList", "an empty list closes it there, and opens it here");
  return list.flatMap((one) => {
    one.take("description");
    return one.text("source") ?? [];
  });
}

function variablesIn(fields: Fields, names: Names) {
  const variables: Record<string, Plain> = {};
  const variablesFrom: Plain[] = [];
  for (const one of fields.maps("envVars")) {
    const group = one.text("fromGroup");
    const key = one.text("key");
    if (group !== undefined) variablesFrom.push({ group: names.get(`group ${group}`) ?? group });
    else if (key !== undefined) variables[key] = writtenOf(key, one, names);
  }
  return { variables, variablesFrom };
}

function writtenOf(key: string, fields: Fields, names: Names): Plain {
  const generated = fields.text("generateValue");
  const isAsked = fields.text("sync") === "false";
  const text = fields.text("value");
  const database = fields.map("fromDatabase");
  const service = fields.map("fromService");
  if (generated === "true") return { generate: { length: 32 } };
  if (service) return referenceOf(key, service, service.text("type") ?? "service", names);
  if (database) return referenceOf(key, database, "database", names);
  if (isAsked || text === undefined) return { fromEnv: key };
  const why = whyWithheld(key, text);
  if (why) fields.note("value", `${key}: ${why}: it is taken from the environment`);
  return why === undefined ? text : { fromEnv: key };
}

/** `host` is the internal host; what else another service has is not shown by this one. */
function referenceOf(key: string, from: Fields, type: string, names: Names): Plain {
  const name = from.text("name") ?? "";
  const property = from.text("property");
  const variable = from.text("envVarKey");
  const address = names.get(`${kinds.get(type) ?? type} ${name}`);
  if (address !== undefined && property === "host") return `\${${address}.internalHost}`;
  if (address !== undefined && variable === "RENDER_EXTERNAL_URL") return `\${${address}.url}`;
  const why = address === undefined ? "is not in this file" : `shows no ${property ?? variable}`;
  from.report(dropped(from.node.range, `${key}: ${name} ${why}; it is taken from the environment`));
  return { fromEnv: key };
}
