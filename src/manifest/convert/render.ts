import {
  type ConvertedManifest,
  type ConvertedService,
  type ConvertedValue,
  type Converter,
  dropped,
  Fields,
  logicalNameOf,
  variableOf,
} from "./fields";

const kinds: Readonly<Record<string, string>> = {
  ...{ web: "web", pserv: "worker", worker: "worker", cron: "cron", static: "static" },
  ...{ redis: "redis", keyvalue: "redis" },
};

/** `render.yaml`: a blueprint of services, databases and groups of variables. */
export const convertRender: Converter = (root, report): ConvertedManifest => {
  const file = new Fields(root, "render", report);
  const groups = Object.fromEntries(
    file.items("envVarGroups").flatMap((node) => {
      if (node.kind !== "map") return [];
      const group = new Fields(node, "envVarGroups", report);
      const name = logicalNameOf(group.text("name") ?? "");
      const { variables } = variablesIn(group, report);
      group.finish();
      return [[name, variables] as const];
    }),
  );
  const services = file
    .items("services")
    .flatMap((node) => (node.kind === "map" ? [convertService(new Fields(node, "service", report))] : []));
  const databases = file
    .items("databases")
    .flatMap((node) => (node.kind === "map" ? [convertDatabase(new Fields(node, "database", report))] : []));
  file.drop("previews", "stages make previews: stages: { preview: { each: true } }");
  file.drop(
    "projects",
    "services of a blueprint's projects stand below other keys",
    "list them under services first",
  );
  file.finish();
  return { services: [...services, ...databases], groups };
};

function convertService(fields: Fields): ConvertedService {
  const type = fields.text("type") ?? "web";
  const runtime = fields.text("runtime") ?? fields.text("env");
  fields.take("env");
  const kind = runtime === "static" ? "static" : (kinds[type] ?? type);
  const name = fields.text("name") ?? kind;
  const typeAt = fields.entry("type");
  if (type === "pserv" && typeAt)
    fields.report(
      dropped(typeAt.value.range, `${name}: a private service becomes a worker: it has no public address`),
    );
  const auto = fields.text("autoDeploy") ?? fields.text("autoDeployTrigger");
  fields.take("autoDeployTrigger");
  if (auto !== undefined && auto !== "no" && auto !== "off" && auto !== "false")
    fields.drop(
      fields.entry("autoDeploy") ? "autoDeploy" : "autoDeployTrigger",
      "rnv deploys what changes; which words turn automatic deployment on, the service does not show",
    );
  fields.drop(
    "plan",
    "plans are others here",
    "rnv schema and the catalog list what is available: configuration: { plan: … }",
  );
  fields.drop("region", "regions are others here", "configuration: { region: … }");
  const { variables, variablesFrom } = variablesIn(fields, fields.report);
  const configuration = configurationIn(fields, runtime);
  fields.take("dockerCommand");
  fields.finish();
  return { name, kind, configuration, variables, variablesFrom };
}

function configurationIn(fields: Fields, runtime: string | undefined): ConvertedService["configuration"] {
  const image = fields.map("image");
  const scaling = fields.map("scaling");
  const filter = fields.map("buildFilter");
  const isBuilt = runtime !== undefined && !["static", "image", "docker"].includes(runtime);
  const configuration = {
    repository: fields.text("repo"),
    branch: fields.text("branch"),
    image: image?.text("url"),
    rootDirectory: fields.text("rootDir"),
    runtime: isBuilt ? runtime : undefined,
    buildCommand: fields.text("buildCommand"),
    preDeployCommand: fields.text("preDeployCommand"),
    startCommand: fields.text("startCommand") ?? fields.text("dockerCommand"),
    dockerfilePath: relative(fields.text("dockerfilePath")),
    dockerContext: relative(fields.text("dockerContext")),
    publishDirectory: relative(fields.text("staticPublishPath")),
    healthCheckPath: fields.text("healthCheckPath"),
    schedule: fields.text("schedule"),
    includePaths: filter?.texts("paths"),
    ignorePaths: filter?.texts("ignoredPaths"),
    ipAllowList: addressesIn(fields),
    evictionPolicy: fields.text("maxmemoryPolicy"),
    ...(scaling === undefined
      ? { replicas: fields.number("numInstances") }
      : {
          minReplicas: scaling.number("minInstances"),
          maxReplicas: scaling.number("maxInstances"),
          targetCpu: scaling.number("targetCPUPercent"),
          targetMemory: scaling.number("targetMemoryPercent"),
        }),
  };
  if (scaling !== undefined) {
    scaling.finish();
    fields.report(
      dropped(
        scaling.node.range,
        `${fields.owner}.scaling: which word turns automatic scaling on, the service does not show`,
        "configuration: { scaling: … }",
      ),
    );
  }
  image?.finish();
  filter?.finish();
  return configuration;
}

function convertDatabase(fields: Fields): ConvertedService {
  const name = fields.text("name") ?? "database";
  fields.drop("plan", "plans are others here", "configuration: { plan: … }");
  fields.drop("region", "regions are others here", "configuration: { region: … }");
  const configuration = {
    databaseName: fields.text("databaseName"),
    databaseUser: fields.text("user"),
    databaseVersion: fields.text("postgresMajorVersion"),
    ipAllowList: addressesIn(fields),
  };
  fields.finish();
  return { name, kind: "postgres", configuration };
}

const relative = (path: string | undefined): string | undefined => path?.replace(/^\.\/(?=.)/, "");

/** `[{ source: 10.0.0.0/8, description: office }]` */
function addressesIn(fields: Fields): readonly string[] | undefined {
  const addresses = fields.items("ipAllowList").flatMap((item) => {
    const source = item.kind === "map" ? item.entries.get("source")?.value : undefined;
    return source?.kind === "scalar" && typeof source.value === "string" ? [source.value] : [];
  });
  return addresses.length === 0 ? undefined : addresses;
}

interface Variables {
  readonly variables: Readonly<Record<string, ConvertedValue>>;
  readonly variablesFrom: readonly ConvertedValue[];
}

function variablesIn(fields: Fields, report: Fields["report"]): Variables {
  const variables: Record<string, ConvertedValue> = {};
  const variablesFrom: ConvertedValue[] = [];
  for (const node of fields.items("envVars")) {
    if (node.kind !== "map") continue;
    const one = new Fields(node, "envVars", report);
    const group = one.text("fromGroup");
    const key = one.text("key");
    if (group !== undefined) variablesFrom.push({ group: logicalNameOf(group) });
    else if (key !== undefined) variables[key] = writtenOf(key, one);
    one.finish();
  }
  return { variables, variablesFrom };
}

function writtenOf(key: string, fields: Fields): ConvertedValue {
  const generated = fields.text("generateValue");
  const isAsked = fields.text("sync") === "false";
  const text = fields.text("value");
  const from = fields.map("fromService") ?? fields.map("fromDatabase");
  fields.take("fromDatabase");
  if (generated === "true") return { generate: { length: 32 } };
  if (from !== undefined) return referenceOf(key, from);
  if (isAsked || text === undefined) return { fromEnv: key };
  return variableOf(key, text, { hosts: new Map(), interpolates: false });
}

/** `host` is the internal host; what else another service has is not shown by this one. */
function referenceOf(key: string, from: Fields): ConvertedValue {
  const name = logicalNameOf(from.text("name") ?? "");
  const property = from.text("property");
  from.take("type");
  if (property === "host") return `\${service.${name}.internalHost}`;
  const what = property ?? `the variable ${from.text("envVarKey") ?? ""}`;
  from.report(
    dropped(
      from.node.range,
      `${key}: ${what} of ${name} is no attribute here; it is taken from the environment`,
    ),
  );
  return { fromEnv: key };
}
