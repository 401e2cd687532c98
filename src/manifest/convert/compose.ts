import type { SourceNode } from "../tree";
import {
  type ConvertedService,
  type ConvertedValue,
  type Converter,
  dropped,
  Fields,
  logicalNameOf,
  variableOf,
} from "./fields";

/** Images of stores that the service runs itself. */
const stores: readonly (readonly [image: RegExp, kind: string])[] = [
  [/(^|\/)(postgres|postgis|pgvector)(:|$|@)/, "postgres"],
  [/(^|\/)(redis|valkey|keydb)(:|$|@)/, "redis"],
];

/** Keys that say how containers run on one machine. */
const ofOneMachine: Readonly<Record<string, string>> = {
  depends_on: "the order follows from references between services",
  restart: "the service restarts what ends",
  container_name: "services are reached by their internal host",
  networks: "services of a project reach each other",
  volumes: "there are no volumes",
  links: "services of a project reach each other",
};

/** `docker-compose.yml`: services with images or builds, ports and environments. */
export const convertCompose: Converter = (root, report) => {
  const file = new Fields(root, "compose", report);
  const services = file.map("services");
  const names = [...(services?.node.entries.keys() ?? [])];
  const hosts = new Map(names.map((name) => [name, `service.${logicalNameOf(name)}`]));
  file.drop("volumes", ofOneMachine.volumes ?? "");
  file.drop("networks", ofOneMachine.networks ?? "");
  file.take("version");
  file.take("name");
  file.finish();
  return {
    services: names.flatMap((name) => {
      const fields = services?.map(name);
      return fields === undefined ? [] : [convertService(name, fields, hosts)];
    }),
  };
};

function convertService(name: string, fields: Fields, hosts: ReadonlyMap<string, string>): ConvertedService {
  const image = fields.text("image");
  const store = stores.find(([pattern]) => image !== undefined && pattern.test(image))?.[1];
  for (const [key, why] of Object.entries(ofOneMachine)) fields.drop(key, why);
  const service =
    store === undefined ? program(name, image, fields, hosts) : storeOf(name, store, image ?? "", fields);
  fields.finish();
  return service;
}

/** A database that the service runs: it makes its own password. */
function storeOf(name: string, kind: string, image: string, fields: Fields): ConvertedService {
  const version = /:(\d+)/.exec(image)?.[1];
  const given = new Map(environmentOf(fields).map(([key, value]) => [key, value]));
  const own = { databaseName: "POSTGRES_DB", databaseUser: "POSTGRES_USER" };
  const configuration: Record<string, ConvertedValue | undefined> = {};
  if (kind === "postgres") {
    configuration.databaseVersion = version;
    for (const [field, key] of Object.entries(own)) {
      const value = given.get(key);
      if (value?.kind === "scalar" && typeof value.value === "string" && !value.value.includes("$"))
        configuration[field] = value.value;
      given.delete(key);
    }
  }
  for (const [key, value] of given)
    fields.report(
      dropped(
        value.range,
        `${fields.owner}.environment.${key}: the service makes users and passwords itself`,
      ),
    );
  for (const key of ["ports", "expose", "command", "healthcheck", "deploy", "env_file", "build"])
    fields.drop(key, "the service runs the database itself");
  return { name, kind, configuration };
}

function program(
  name: string,
  image: string | undefined,
  fields: Fields,
  hosts: ReadonlyMap<string, string>,
): ConvertedService {
  const bound = fields.items("ports");
  const isPublic = bound.some((one) => !isLocal(one));
  const published = bound.map(portOf);
  const ports = [...published, ...fields.items("expose").map(portOf)];
  const [port] = ports.filter((one) => one !== undefined);
  if (ports.length > 1)
    fields.drop(published.length > 0 ? "ports" : "expose", `a service listens on one port; ${port} is kept`);
  fields.drop(
    "healthcheck",
    "a health check is the path of a request",
    "configuration: { healthCheckPath: /healthz }",
  );
  const configuration = {
    ...(image === undefined || fields.entry("build") ? buildOf(fields) : { image }),
    startCommand: startOf(fields),
    port,
    replicas: fields.number("scale") ?? fields.map("deploy")?.number("replicas"),
  };
  const kept = new Map([...hosts].filter(([other]) => other !== name));
  const variables = Object.fromEntries(
    environmentOf(fields).map(([key, value]) => [
      key,
      value.kind === "scalar" && value.value !== null
        ? variableOf(key, String(value.value), { hosts: kept, interpolates: true })
        : { fromEnv: key },
    ]),
  );
  return {
    ...{ name, kind: isPublic ? "web" : "worker", configuration, variables },
    variablesFrom: envFilesOf(fields),
  };
}

/** The whole command: `entrypoint`, which `command` follows. */
function startOf(fields: Fields): string | undefined {
  const command = fields.take("command");
  const isShell = command?.kind === "scalar" && /[&|;<>]/.test(String(command.value));
  if (isShell) fields.drop("entrypoint", "operators of a shell in the command would be its arguments");
  const words = [isShell ? undefined : commandOf(fields.take("entrypoint")), commandOf(command)];
  const given = words.filter((part) => part !== undefined && part !== "");
  return given.length === 0 ? undefined : given.join(" ");
}

/** A build of the folder that the file stands in: which repository that is, it does not say. */
function buildOf(fields: Fields): Record<string, ConvertedValue | undefined> {
  const build = fields.take("build");
  if (build === undefined) return {};
  fields.report(
    dropped(
      build.range,
      `${fields.owner}.build: the repository is not said in this file`,
      "configuration: { repository: https://… }",
    ),
  );
  if (build.kind !== "map") {
    const context = build.kind === "scalar" ? String(build.value) : ".";
    return folderOf(context);
  }
  const given = new Fields(build, `${fields.owner}.build`, fields.report);
  const configuration = {
    ...folderOf(given.text("context") ?? "."),
    dockerfilePath: given.text("dockerfile"),
  };
  given.finish();
  return configuration;
}

const folderOf = (context: string): Record<string, ConvertedValue> => {
  const folder = context.replace(/^\.\/?/, "").replace(/\/$/, "");
  return folder === "" ? {} : { rootDirectory: folder };
};

/** `environment` as a mapping or as a list of `KEY=value`. */
function environmentOf(fields: Fields): readonly (readonly [string, SourceNode])[] {
  const given = fields.take("environment");
  if (given?.kind === "map") return [...given.entries.values()].map(({ key, value }) => [key, value]);
  if (given?.kind !== "list") return [];
  return given.items.flatMap((item): [string, SourceNode][] => {
    if (item.kind !== "scalar" || typeof item.value !== "string") return [];
    const at = item.value.indexOf("=");
    const value = at === -1 ? null : item.value.slice(at + 1);
    return [[at === -1 ? item.value : item.value.slice(0, at), { kind: "scalar", value, range: item.range }]];
  });
}

const envFilesOf = (fields: Fields): readonly ConvertedValue[] =>
  fields.items("env_file").flatMap((item) => {
    const path = item.kind === "map" ? item.entries.get("path")?.value : item;
    const required = item.kind === "map" ? item.entries.get("required")?.value : undefined;
    if (required?.kind === "scalar" && String(required.value) === "false") {
      const why = "a file that may be missing is not read";
      fields.report(
        dropped(item.range, `${fields.owner}.env_file: ${why}`, "variablesFrom: [{ dotenv: FILE }]"),
      );
      return [];
    }
    return path?.kind === "scalar" && typeof path.value === "string"
      ? [{ dotenv: path.value.replace(/^\.\//, "") }]
      : [];
  });

/** The port inside of the container: `8080:80/tcp` is 80. */
function portOf(node: SourceNode): number | undefined {
  const target = node.kind === "map" ? node.entries.get("target")?.value : node;
  if (target?.kind !== "scalar") return undefined;
  const port = Number(/(\d+)(?:\/\w+)?$/.exec(String(target.value))?.[1]);
  return Number.isInteger(port) && port > 0 ? port : undefined;
}

/** Returns true for a port that only the machine itself reaches: `127.0.0.1:8080:80`. */
function isLocal(node: SourceNode): boolean {
  const host = node.kind === "map" ? node.entries.get("host_ip")?.value : node;
  return host?.kind === "scalar" && /^(127\.|localhost\b|\[?::1\]?(?:$|:))/.test(String(host.value));
}

/** A command of words, as a shell takes it. */
function commandOf(node: SourceNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (node.kind === "scalar") return String(node.value).replaceAll("$$", "$");
  if (node.kind !== "list") return undefined;
  const words = node.items.map((item) =>
    item.kind === "scalar" ? String(item.value).replaceAll("$$", "$") : "",
  );
  return words
    .map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}
