import { posix } from "node:path";
import { append, reachable } from "../../model/graph";
import type { Plain } from "../../model/value";
import { LogicalNames } from "../logical-names";
import { splitSubstitutions, withDefaults } from "../substitution";
import type { SourceNode } from "../tree";
import { type Clone, type Converter, type Fields, type Hosts, textIn, variableOf } from "./fields";

/** Images of stores that the service runs itself: of Postgres, or of Redis. */
const storeImage = /(?:^|\/)(?:(postgres|postgis|pgvector)|redis|valkey|keydb)(?:[:@]|$)/;

/** `docker-compose.yml`: services with images or builds, ports and environments. */
export const convertCompose: Converter = (file, clone) => {
  const services = file.map("services");
  const logicalNames = new LogicalNames();
  const names = [...(services?.node.entries.keys() ?? [])];
  const hosts = new Map(names.map((name) => [name, logicalNames.pathIn(["services"], name)[1] ?? ""]));
  file.take("version");
  file.take("name");
  const found = [...hosts].flatMap(([name, key]) => {
    const fields = services?.map(name);
    if (fields === undefined) return [];
    const image = textIn(fields.take("image")) ?? "";
    const isStore = storeImage.test(image);
    const others = new Map([...hosts].filter(([other]) => other !== name));
    const service = isStore ? storeOf(image, fields) : program(image, fields, others, clone);
    return [{ fields, name, key, isStore, service }];
  });
  const order = new Map(found.map(({ service, key }) => [key, referredIn(service.variables)]));
  const converted = found.map(({ fields, name, key, isStore, service }) => {
    const dependsOn = orderOf(fields, key, hosts, order);
    if (isStore) fields.finish("the service runs the database itself");
    return { ...service, name, path: ["services", key], dependsOn };
  });
  file.finish();
  return { services: converted };
};

/** Logical names of the services that variables refer to. */
const referredIn = (variables: Readonly<Record<string, Plain>>): string[] =>
  [...JSON.stringify(variables).matchAll(/\$\{service\.([\w-]+)\./g)].map(([, found = ""]) => found);

/** Addresses of the services in `depends_on`, without those that refer back to this one: a manifest takes no circle. */
function orderOf(fields: Fields, own: string, hosts: Hosts, order: Map<string, string[]>): readonly string[] {
  const given = fields.take("depends_on");
  const wanted = given?.kind === "map" ? [...given.entries.keys()] : fields.texts("depends_on");
  return wanted.flatMap((name) => {
    const key = hosts.get(name) ?? "";
    const before = reachable([key], (other) => order.get(other) ?? []);
    if (hosts.has(name) && !before.has(own)) {
      append(order, own, key);
      return [`service.${key}`];
    }
    const why = hosts.has(name) ? "it refers to this service in turn" : "the file has no such service";
    fields.note("depends_on", `${name}: ${why}`);
    return [];
  });
}

/** A database that the service runs: it makes its own password. */
function storeOf(image: string, fields: Fields) {
  const kind = storeImage.exec(image)?.[1] ? "postgres" : "redis";
  const [path = "", digest] = image.split("@");
  const isOwn = /^(docker\.io\/)?(library\/)?(postgres|redis|valkey)(:|$)/.test(path);
  const [, tag = ""] = /:([^/]*)$/.exec(withDefaults(path) ?? path) ?? [];
  const databaseVersion = kind === "postgres" ? /^(?:pg)?(\d+)/.exec(tag)?.[1] : undefined;
  if (!isOwn || digest !== undefined || (databaseVersion === undefined && /[\d$]/.test(tag)))
    fields.note("image", "extensions and pinned versions of the image are not kept");
  const given = new Map(environmentOf(fields.node.entries.get("environment")?.value));
  const named = (key: string): string | undefined =>
    given.has(key) ? fields.template("environment", textIn(given.get(key)) ?? `$${key}`) : undefined;
  const [databaseName, databaseUser] = [named("POSTGRES_DB"), named("POSTGRES_USER")];
  return { kind, configuration: { databaseVersion, databaseName, databaseUser }, variables: {} };
}

function program(image: string, fields: Fields, hosts: Hosts, clone: Clone) {
  const bound = fields.items("ports").map(portOf);
  const exposed = fields.items("expose").map(portOf);
  const listed = [...bound, ...exposed];
  const open = bound.find(({ isPublic }) => isPublic);
  if (bound.length > 0 && open === undefined)
    fields.note("ports", bound.find(({ isUnknown }) => isUnknown) ? unknownAddress : noPublicPort);
  const port = (open ?? listed.find((one) => one.port !== undefined))?.port;
  if ((listed.length > 1 || listed[0]?.isRange) && port !== undefined)
    fields.note(bound.length > 0 ? "ports" : "expose", `a service listens on one port; ${port} is kept`);
  if (exposed.length > 0 && port === undefined) fields.note("expose", "no TCP port in it is known");
  const isBuilt = image === "" || fields.take("build") !== undefined;
  if (isBuilt && image !== "") fields.note("image", "it is built instead of this image");
  const configuration = {
    ...(isBuilt ? buildOf(fields, clone) : { image: fields.template("image", image) }),
    startCommand: startOf(fields),
    port,
    replicas: fields.map("deploy")?.number("replicas") ?? fields.number("scale"),
  };
  const variables = { ...fields.secrets, ...variablesIn(fields, hosts) };
  const kind = open === undefined ? "worker" : "web";
  return { kind, configuration, variables, variablesFrom: envFilesOf(fields) };
}

const noPublicPort = "none is a public TCP port: a worker has no public address";
const unknownAddress = "an address in it is not known: it stays private; kind: web makes it public";

const variablesIn = (fields: Fields, hosts: Hosts): Record<string, Plain> =>
  Object.fromEntries(
    environmentOf(fields.take("environment")).map(([key, value]) => {
      const note = (what: string) => fields.note(`environment.${key}`, what, value);
      const text = textIn(value);
      if (text === undefined) note("it has no value, and so is required in the environment");
      return [key, text === undefined ? { fromEnv: key } : variableOf(key, text, hosts, note)];
    }),
  );

/** Text in quotes, or white space outside of it. */
const quotedOrSpace = /('[^']*'|"(?:\\.|[^"\\])*")|\s+/gs;

/** The whole command as a shell takes it: `entrypoint`, which `command` follows. */
function startOf(fields: Fields): string | undefined {
  const outsideQuotes = textIn(fields.take("command"))?.replace(quotedOrSpace, "");
  const isShell = /[&|;<>]/.test(outsideQuotes ?? "");
  if (isShell) fields.drop("entrypoint", "operators of a shell in the command would be its arguments");
  const words = (isShell ? ["command"] : ["entrypoint", "command"]).flatMap((key) => {
    const isText = fields.take(key)?.kind === "scalar";
    return fields.items(key).map((item) => {
      const text = (textIn(item) ?? "").trim();
      // Line ends between words are spaces; a word of a list is one word.
      return isText ? text.replace(quotedOrSpace, (_, quoted) => quoted ?? " ") : quotedWord(text);
    });
  });
  const key = fields.node.entries.has("command") ? "command" : "entrypoint";
  return fields.template(key, words.filter((word) => word !== "").join(" "));
}

/** A word of a command, in double quotes where a shell has to put a variable in. */
function quotedWord(word: string): string {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word;
  const isOpen = splitSubstitutions(word).some((part) => typeof part !== "string") || word.includes("'");
  return isOpen ? `"${word.replace(/["\\`]|\$\$/g, "\\$&")}"` : `'${word}'`;
}

/** A build of the folder that the file is in, or of an address. */
function buildOf(fields: Fields, clone: Clone) {
  const build = fields.take("build");
  if (build === undefined) return {};
  const given = build.kind === "map" ? fields.map("build") : undefined;
  const context = (given ? given.text("context") : fields.text("build")) ?? ".";
  const dockerfilePath = given?.text("dockerfile");
  if (/^(\w+:\/\/|git@)/.test(context)) {
    const [repository = "", part] = context.split("#");
    if (part !== undefined)
      fields.note("build", "the branch and folder behind the # of the address are not kept");
    return { repository, dockerfilePath };
  }
  if (clone.repository === undefined) fields.note("build", "the repository is not said in this file");
  const folder = posix.join(clone.folder, context).replace(/\/$/, "");
  const isOutside = /^(\.\.|\/)/.test(folder);
  if (isOutside) fields.note("build", "the folder is outside the repository");
  const rootDirectory = isOutside || folder === "." ? undefined : folder;
  return { repository: clone.repository, rootDirectory, dockerfilePath };
}

/** `environment` as a mapping or as a list of `KEY=value`. */
function environmentOf(given: SourceNode | undefined): readonly (readonly [string, SourceNode])[] {
  if (given?.kind === "map") return [...given.entries.values()].map(({ key, value }) => [key, value]);
  const items = given?.kind === "list" ? given.items : [];
  return items.map((item) => {
    const [key = "", ...rest] = (textIn(item) ?? "").split("=");
    return [key, { kind: "scalar", value: rest.length === 0 ? null : rest.join("="), range: item.range }];
  });
}

const envFilesOf = (fields: Fields): readonly Plain[] =>
  fields.items("env_file").flatMap((item) => {
    const isOptional = partOf(item, "required") === "false";
    const path = isOptional ? undefined : withDefaults(partOf(item, "path") ?? textIn(item) ?? "");
    const why = isOptional ? "a file that may be missing is not read" : "its path is not known";
    if (!path) fields.note("env_file", why, item);
    return path ? [{ dotenv: posix.join(posix.dirname(item.range.file), path) }] : [];
  });

/** The text of a key of a mapping. */
const partOf = (node: SourceNode, key: string): string | undefined =>
  node.kind === "map" ? textIn(node.entries.get(key)?.value) : undefined;

/** The port inside of the container, of `8080:80/tcp` 80; `127.0.0.1:8080:80` is for the machine itself. */
function portOf(node: SourceNode) {
  const text = settled(partOf(node, "target") ?? textIn(node));
  const [, first, last] = /(\d+)(-\d+)?(?:\/tcp)?$/.exec(text) ?? [];
  const found = Number(first);
  const port = found > 0 && partOf(node, "protocol") !== "udp" ? found : undefined;
  const host = settled(partOf(node, "host_ip") ?? hostBefore.exec(text)?.[0]);
  const isUnknown = host.includes("$");
  const isLocal = /^(127\.|localhost\b|\[?::1\]?$)/.test(host);
  return {
    port,
    isPublic: port !== undefined && !isLocal && !isUnknown,
    isUnknown,
    isRange: last !== undefined,
  };
}

/** The address of `address:8080:80`; a variable in place of `8080` may hold one, too, unless it is called a port. */
const hostBefore = /^(?:.*(?=:[^:]*:[^:]*$)|\$\{(?!\w*PORT)\w+\}(?=:[^:]*$))/i;

/** A text in which a variable without a default stays. */
const settled = (text = ""): string => withDefaults(text, (name) => `\${${name}}`) ?? "";
