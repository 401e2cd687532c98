import { posix } from "node:path";
import { withDefaults } from "../substitution";
import type { SourceNode } from "../tree";
import {
  type Clone,
  type ConvertedService,
  type ConvertedValue,
  type Converter,
  dropped,
  Fields,
  logicalNameOf,
  type Note,
  noRepository,
  templateOf,
  variableOf,
} from "./fields";

/** Images of stores that the service runs itself. */
const stores: readonly (readonly [image: RegExp, kind: string])[] = [
  [/(^|\/)(postgres|postgis|pgvector)(:|$|@)/, "postgres"],
  [/(^|\/)(redis|valkey|keydb)(:|$|@)/, "redis"],
];

/** Keys that say how containers run on one machine. */
const ofOneMachine: Readonly<Record<string, string>> = {
  restart: "the service restarts what ends",
  container_name: "services are reached by their internal host",
  networks: "services of a project reach each other",
  volumes: "there are no volumes",
  links: "services of a project reach each other",
};

/** `docker-compose.yml`: services with images or builds, ports and environments. */
export const convertCompose: Converter = (root, report, clone) => {
  // Numbers and paths of a manifest have no variables: defaults take their places.
  const file = new Fields(root, "compose", report, withDefaults);
  const services = file.map("services");
  const names = [...(services?.node.entries.keys() ?? [])];
  const hosts = new Map(names.map((name) => [name, `service.${logicalNameOf(name)}`]));
  file.drop("volumes", ofOneMachine.volumes ?? "");
  file.drop("networks", ofOneMachine.networks ?? "");
  file.take("version");
  file.take("name");
  file.finish();
  const found = names.flatMap((name) => {
    const fields = services?.map(name);
    return fields === undefined ? [] : [{ fields, service: convertService(name, fields, hosts, clone) }];
  });
  const order = new Map(found.map(({ service }) => [hosts.get(service.name) ?? "", referredIn(service)]));
  return {
    services: found.map(({ fields, service }) => {
      const dependsOn = orderOf(fields, service.name, hosts, order);
      fields.finish();
      return { ...service, dependsOn };
    }),
  };
};

/** Addresses of the services that its variables refer to. */
const referredIn = ({ variables }: ConvertedService): Set<string> =>
  new Set(
    [...JSON.stringify(variables ?? {}).matchAll(/\$\{(service\.[\w-]+)\./g)].map(([, found = ""]) => found),
  );

/**
 * Returns the addresses of the services in `depends_on`, a list of names or a mapping by name. One that refers back to this
 * service is left out: a manifest takes no circle.
 */
function orderOf(
  fields: Fields,
  name: string,
  hosts: ReadonlyMap<string, string>,
  order: ReadonlyMap<string, Set<string>>,
): readonly string[] {
  const own = hosts.get(name) ?? "";
  const given = fields.take("depends_on");
  const wanted = given?.kind === "map" ? [...given.entries.keys()] : (fields.texts("depends_on") ?? []);
  return wanted
    .filter((other) => {
      const address = hosts.get(other) ?? "";
      const before = new Set([address]);
      // A set goes on over what is added to it while it is walked.
      for (const one of before) for (const next of order.get(one) ?? []) before.add(next);
      const why = address === "" ? "the file has no such service" : "it refers to this service in turn";
      const isLeftOut = address === "" || before.has(own);
      if (isLeftOut) noteAt(fields, "depends_on")(`${other}: ${why}`);
      else order.get(own)?.add(address);
      return !isLeftOut;
    })
    .map((other) => hosts.get(other) ?? "");
}

function convertService(
  name: string,
  fields: Fields,
  hosts: ReadonlyMap<string, string>,
  clone: Clone,
): ConvertedService {
  const image = textIn(fields.take("image"));
  const store = stores.find(([pattern]) => image !== undefined && pattern.test(image))?.[1];
  for (const [key, why] of Object.entries(ofOneMachine)) fields.drop(key, why);
  const service =
    store === undefined
      ? program(name, image, fields, hosts, clone)
      : storeOf(name, store, image ?? "", fields);
  return service;
}

const textIn = (node: SourceNode | undefined): string | undefined =>
  node?.kind === "scalar" && node.value !== null ? String(node.value) : undefined;

/** Reports facts about a setting at its value, or at a part of that. */
const noteAt = (fields: Fields, key: string, part = fields.entry(key)?.value): Note => {
  const range = part?.range ?? fields.node.range;
  return (what) => fields.report(dropped(range, `${fields.owner}.${key}: ${what}`));
};

/** A database that the service runs: it makes its own password. */
function storeOf(name: string, kind: string, image: string, fields: Fields): ConvertedService {
  const [path = "", digest] = image.split("@");
  const version = /:(?:pg)?(\d+)[^/]*$/.exec(withDefaults(path) ?? "")?.[1];
  const isOwn = /^(docker\.io\/)?(library\/)?(postgres|redis|valkey)(:|$)/.test(path);
  if (!isOwn || digest !== undefined)
    noteAt(fields, "image")("extensions and pinned versions of the image are not kept");
  const given = new Map(environmentOf(fields).map(([key, value]) => [key, value]));
  const own = { databaseName: "POSTGRES_DB", databaseUser: "POSTGRES_USER" };
  const configuration: Record<string, ConvertedValue | undefined> = {};
  if (kind === "postgres") {
    configuration.databaseVersion = version;
    for (const [field, key] of Object.entries(own)) {
      const value = given.get(key);
      if (value?.kind === "scalar")
        configuration[field] = templateOf(String(value.value ?? `$${key}`), noteAt(fields, "environment"));
      given.delete(key);
    }
  }
  for (const [key, value] of given)
    noteAt(fields, `environment.${key}`, value)("the service sets up databases, users and passwords itself");
  for (const key of ["ports", "expose", "command", "healthcheck", "deploy", "env_file", "build"])
    fields.drop(key, "the service runs the database itself");
  return { name, kind, configuration };
}

function program(
  name: string,
  image: string | undefined,
  fields: Fields,
  hosts: ReadonlyMap<string, string>,
  clone: Clone,
): ConvertedService {
  const bound = fields.items("ports");
  const open = bound.filter((one) => !isLocal(one) && portOf(one) !== undefined);
  if (bound.length > 0 && open.length === 0)
    noteAt(fields, "ports")("none is a public TCP port: a worker has no public address");
  const listed = [...open, ...bound.filter((one) => !open.includes(one)), ...fields.items("expose")];
  const ports = listed.map(portOf).filter((one) => one !== undefined);
  const [port] = ports;
  const listedIn = bound.length > 0 ? "ports" : "expose";
  if (ports.length < listed.length) noteAt(fields, listedIn)("a port is not a TCP port");
  if (ports.length > 1) fields.drop(listedIn, `a service listens on one port; ${port} is kept`);
  fields.drop(
    "healthcheck",
    "a health check is the path of a request",
    "configuration: { healthCheckPath: /healthz }",
  );
  const isBuilt = image === undefined || fields.entry("build") !== undefined;
  if (isBuilt && image !== undefined) noteAt(fields, "image")("it is built instead of this image");
  const scale = fields.number("scale");
  const configuration = {
    ...(isBuilt ? buildOf(fields, clone) : { image: templateOf(image, noteAt(fields, "image")) }),
    startCommand: startOf(fields),
    port,
    replicas: replicasIn(fields) ?? scale,
  };
  const others = new Map([...hosts].filter(([other]) => other !== name));
  const variables = variablesIn(fields, others);
  const kind = open.length > 0 ? "web" : "worker";
  return { name, kind, configuration, variables, variablesFrom: envFilesOf(fields) };
}

function replicasIn(fields: Fields): number | undefined {
  const deploy = fields.map("deploy");
  const replicas = deploy?.number("replicas");
  deploy?.drop("resources", "the plan says how much it has", "configuration: { plan: … }");
  deploy?.finish();
  return replicas;
}

function variablesIn(fields: Fields, hosts: ReadonlyMap<string, string>): Record<string, ConvertedValue> {
  return Object.fromEntries(
    environmentOf(fields).map(([key, value]) => {
      const note = noteAt(fields, `environment.${key}`, value);
      const text = textIn(value);
      if (text === undefined) note("it has no value, and so is required in the environment");
      return [key, text === undefined ? { fromEnv: key } : variableOf(key, text, hosts, note)];
    }),
  );
}

/** The whole command: `entrypoint`, which `command` follows. */
function startOf(fields: Fields): string | undefined {
  const command = fields.take("command");
  const isShell = command?.kind === "scalar" && /[&|;<>]/.test(outsideQuotes(String(command.value), ""));
  if (isShell) fields.drop("entrypoint", "operators of a shell in the command would be its arguments");
  const words = (isShell ? ["command"] : ["entrypoint", "command"]).map((key) =>
    commandOf(fields.take(key), noteAt(fields, key)),
  );
  const given = words.filter((part) => part !== undefined && part !== "").join(" ");
  if (given.includes("\n"))
    noteAt(fields, "command")("the command has several lines, which the service may not take");
  return given === "" ? undefined : given;
}

/** A build of the folder that the file is in, or of an address. */
function buildOf(fields: Fields, clone: Clone): Record<string, ConvertedValue | undefined> {
  const build = fields.take("build");
  if (build === undefined) return {};
  const given = build.kind === "map" ? fields.map("build") : undefined;
  const context = (given ? given.text("context") : fields.text("build")) ?? ".";
  const dockerfilePath = given?.text("dockerfile");
  given?.finish();
  const note = noteAt(fields, "build");
  if (/^(\w+:\/\/|git@)/.test(context)) {
    const [repository = "", part] = context.split("#");
    if (part !== undefined) note("the branch and folder behind the # of the address are not kept");
    return { repository, dockerfilePath };
  }
  if (clone.repository === undefined) noRepository(fields.report, build.range, `${fields.owner}.build`);
  const folder = posix.join(clone.folder, context).replace(/\/$/, "");
  const isOutside = /^(\.\.|\/)/.test(folder);
  if (isOutside) note("the folder is outside the repository");
  const rootDirectory = isOutside || folder === "." ? undefined : folder;
  return { repository: clone.repository, rootDirectory, dockerfilePath };
}

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
    const written = textIn(item.kind === "map" ? item.entries.get("path")?.value : item);
    const required = textIn(item.kind === "map" ? item.entries.get("required")?.value : undefined);
    const path = required === "false" ? undefined : withDefaults(written ?? "");
    const why = required === "false" ? "a file that may be missing is not read" : "its path is not known";
    if (!path) noteAt(fields, "env_file", item)(why);
    return path ? [{ dotenv: posix.join(posix.dirname(item.range.file), path) }] : [];
  });

/** The port inside of the container: `8080:80/tcp` is 80. */
function portOf(node: SourceNode): number | undefined {
  const isUdp = node.kind === "map" && textIn(node.entries.get("protocol")?.value) === "udp";
  const target = textIn(node.kind === "map" ? node.entries.get("target")?.value : node) ?? "";
  const port = Number(/(\d+)(?:-\d+)?(?:\/tcp)?$/.exec(withDefaults(target) ?? target)?.[1]);
  return Number.isInteger(port) && port > 0 && !isUdp ? port : undefined;
}

/** Returns true for a port that only the machine itself reaches: `127.0.0.1:8080:80`. */
function isLocal(node: SourceNode): boolean {
  const host = textIn(node.kind === "map" ? node.entries.get("host_ip")?.value : node) ?? "";
  return /^(127\.|localhost\b|\[?::1\]?(?:$|:))/.test(withDefaults(host) ?? host);
}

/** A command as a shell takes it; line ends between words are spaces. */
function commandOf(node: SourceNode | undefined, note: Note): string | undefined {
  if (node?.kind === "scalar") return templateOf(outsideQuotes(String(node.value), " "), note).trim();
  if (node?.kind !== "list") return undefined;
  const words = node.items.map((item) => (item.kind === "scalar" ? String(item.value).trim() : ""));
  return words
    .map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .map((word) => templateOf(word, note))
    .join(" ");
}

/** Text with its white space as single spaces, or with nothing but what is outside quotes. */
const outsideQuotes = (text: string, quotes: "" | " "): string =>
  text.replace(/'[^']*'|"(?:\\.|[^"\\])*"|\s+/gs, (found) => (/^\s/.test(found) ? " " : quotes && found));
