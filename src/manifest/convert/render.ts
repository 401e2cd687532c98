import { reasonToWithhold } from "../../declaration/secret-texts";
import type { Plain } from "../../model/value";
import { LogicalNames } from "../write";
import { type Converter, conversionWarning, type Fields, isWholeNumber } from "./field-reader";

const kinds = new Map(Object.entries({ pserv: "worker", keyvalue: "redis", database: "postgres" }));

/** Addresses of services (`web NAME`, also `service NAME`) and databases, logical names of groups (`group NAME`). */
class Names {
  readonly #found = new Map<string, string>();

  add(scope: number, label: string, found: string): void {
    this.#found.set(`${scope} ${label}`, found);
    if (!this.#found.has(label)) this.#found.set(label, found);
  }

  /** Prefers a name of the same environment: another environment may have it, too. */
  of(scope: number, label: string): string | undefined {
    return this.#found.get(`${scope} ${label}`) ?? this.#found.get(label);
  }
}

/** `render.yaml`: a blueprint of services, databases and groups of variables, which projects may contain. */
export const convertRender: Converter = (file, { repository }) => {
  const logicalNames = new LogicalNames();
  // The parts that list services: the file itself, and the environments of projects, whose keys are `outer`.
  const parts = [
    ...[file, file.map("ungrouped")].flatMap((fields) => (fields ? [{ fields, outer: [] }] : [])),
    ...file.maps("projects").flatMap((project) => environmentsOf(project, logicalNames)),
  ];
  const names = new Names();
  const entries = parts.flatMap(({ fields: part, outer, ...owner }, scope) =>
    [...part.maps("services"), ...part.maps("databases")].map((fields) => {
      const type = fields.owner === "database" ? fields.owner : fields.required("type");
      const name = fields.required("name");
      const path = logicalNames.pathIn([...outer, "services"], name);
      const address = ["service", ...outer.slice(1), path.at(-1)].join(".");
      if (type !== "database") names.add(scope, `service ${name}`, address);
      names.add(scope, `${kinds.get(type) ?? type} ${name}`, address);
      return { fields, scope, address, type, named: { ...owner, name, path } };
    }),
  );
  const listed = parts.flatMap(({ fields: part }, scope) =>
    part.maps("envVarGroups").map((fields) => {
      const name = fields.required("name");
      const key = logicalNames.pathIn(["variableGroups"], name).at(-1) as string;
      names.add(scope, `group ${name}`, key);
      return { fields, scope, key };
    }),
  );
  const read = entries.map((entry) => {
    const envVars = envVarsOf(entry.fields, names, entry.scope);
    return { ...entry, envVars, uses: [...new Set(envVars.flatMap(({ group }) => group ?? []))] };
  });
  const asked = new Set(read.flatMap(({ envVars }) => envVars.map(({ asks }) => asks)));
  const groups: Record<string, Plain> = {};
  for (const { fields, scope, key } of listed) {
    const users = read.filter(({ uses }) => uses.includes(key));
    const isShared = (name: string) =>
      users.length > 1 || users.some(({ address }) => asked.has(`${address} ${name}`));
    groups[key] = variablesOf(envVarsOf(fields, names, scope), isShared);
  }
  const services = read.map(({ fields, address, type, named, envVars, uses }) => {
    const { kind, configuration } = convertService(type, named.name, fields, repository);
    const variables = variablesOf(envVars, (name) => asked.has(`${address} ${name}`));
    const { PORT = "" } = Object.assign({}, ...uses.map((key) => groups[key]), variables);
    const port = isWholeNumber(String(PORT)) ? Number(PORT) : undefined;
    if (PORT !== "" && port === undefined)
      fields.note("envVars", `${named.name}: PORT is no number here: set configuration.port, too`);
    const variablesFrom = uses.map((group) => ({ group }));
    return { ...named, kind, configuration: { ...configuration, port }, variables, variablesFrom };
  });
  file.finish();
  return { services, groups };
};

function environmentsOf(project: Fields, logicalNames: LogicalNames) {
  const name = project.required("name");
  const outer = logicalNames.pathIn(["projects"], name);
  return project.maps("environments").map((fields) => {
    const environment = fields.text("name");
    const isDefault = environment === undefined || /^production$/i.test(environment);
    if (!isDefault)
      fields.drop("name", `the project ${name} needs the environment ${environment} before the first apply`);
    return { fields, outer, project: name, environment: isDefault ? undefined : environment };
  });
}

function convertService(type: string, name: string, fields: Fields, repository?: string) {
  const runtime = fields.text("runtime") ?? fields.text("env");
  const kind = kinds.get(type) ?? (runtime === "static" ? "static" : type);
  if (type === "pserv") fields.note("type", `${name}: it becomes a worker, which has no public address`);
  if (runtime === "docker") fields.note("runtime", `${name}: the platform shows no word for a Dockerfile`);
  const configuration = configurationIn(fields, runtime);
  const isBuilt = !["postgres", "redis"].includes(kind) && runtime !== "image" && !configuration.image;
  if (isBuilt) configuration.repository ??= repository;
  if (isBuilt && configuration.repository === undefined)
    fields.note("type", `${name}: the repository is not said in this file`);
  return { kind, configuration };
}

function configurationIn(fields: Fields, runtime: string | undefined) {
  const image = fields.map("image");
  const scaling = fields.map("scaling");
  const filter = fields.map("buildFilter");
  const isBuilt = runtime !== undefined && !["static", "image", "docker"].includes(runtime);
  fields.drop("scaling", "the platform does not show which word turns automatic scaling on");
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
  return list.flatMap((entry) => {
    entry.take("description");
    return entry.text("source") ?? [];
  });
}

/** Reads `envVars`: groups of the file, and variables; `asks` is the variable of another service that supplies it. */
function envVarsOf(holder: Fields, names: Names, scope: number) {
  return holder.maps("envVars").map((fields) => {
    const dashboard = fields.text("fromGroup");
    const group = dashboard === undefined ? undefined : names.of(scope, `group ${dashboard}`);
    if (dashboard !== undefined && group === undefined)
      fields.note(
        "fromGroup",
        `${dashboard} is a group of the dashboard: its variables are not in this file`,
      );
    const key = dashboard === undefined ? fields.required("key") : "";
    const service = fields.map("fromService");
    const from = service ?? fields.map("fromDatabase");
    const type = service ? (service.text("type") ?? "service") : "database";
    const address = from && names.of(scope, `${kinds.get(type) ?? type} ${from.required("name")}`);
    return { fields, group, key, from, address, asks: `${address} ${from?.text("envVarKey")}` };
  });
}

/** The variables of a service or of a group; `isShared` says which of them others read, too. */
function variablesOf(envVars: ReturnType<typeof envVarsOf>, isShared: (key: string) => boolean) {
  const variables = new Map<string, Plain>();
  for (const { fields, key, from, address } of envVars.filter((variable) => variable.key !== "")) {
    if (variables.has(key)) fields.note("key", `${key} is there already: the later entry is kept`);
    variables.set(key, from ? referenceOf(key, from, address) : writtenOf(fields, key, isShared));
  }
  return Object.fromEntries(variables);
}

function writtenOf(fields: Fields, key: string, isShared: (key: string) => boolean): Plain {
  const isGenerated = /^(true|yes|on)$/i.test(fields.text("generateValue") ?? "");
  const isAsked = /^(false|no|off)$/i.test(fields.text("sync") ?? "");
  const text = fields.text("value") ?? (fields.node.entries.has("value") ? "" : undefined);
  if (isGenerated && !isShared(key)) return { generate: { length: 32 } };
  if (isGenerated)
    fields.note("generateValue", `${key}: others read the same value: it is taken from the environment`);
  if (!isGenerated && !isAsked && text === undefined)
    fields.note("key", `${key} has no value: it is taken from the environment`);
  if (isGenerated || isAsked || text === undefined) return { fromEnv: key };
  // Nothing is withheld of a text that is empty.
  const why = text === "" ? undefined : reasonToWithhold(key, text);
  if (why) fields.note("value", `${key}: ${why}: it is taken from the environment`);
  return why === undefined ? text : { fromEnv: key };
}

/** `host` is the internal host; this service shows no other property of a service. */
function referenceOf(key: string, from: Fields, address: string | undefined): Plain {
  const property = from.text("property");
  const variable = from.text("envVarKey");
  if (address !== undefined && property === "host") return `\${${address}.internalHost}`;
  if (address !== undefined && variable === "RENDER_EXTERNAL_URL") return `\${${address}.url}`;
  const why = address === undefined ? "is not in this file" : `shows no ${property ?? variable}`;
  const note = `${key}: ${from.text("name")} ${why}; it is taken from the environment`;
  from.report(conversionWarning(from.node.range, note));
  return { fromEnv: key };
}
