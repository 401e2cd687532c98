import { posix } from "node:path";
import { append, reachable } from "../../model/graph";
import type { Plain } from "../../model/value";
import { withDefaults } from "../substitution";
import type { SourceNode } from "../tree";
import {
  type Clone,
  type ConvertedMap,
  type ConvertedService,
  type Converter,
  Fields,
  logicalNameOf,
  templateOf,
  textIn,
  variableOf,
} from "./fields";

/** Images of stores that the service runs itself. */
const stores: readonly (readonly [image: RegExp, kind: string])[] = [
  [/(^|\/)(postgres|postgis|pgvector)(:|$|@)/, "postgres"],
  [/(^|\/)(redis|valkey|keydb)(:|$|@)/, "redis"],
];

/** `docker-compose.yml`: services with images or builds, ports and environments. */
export const convertCompose: Converter = (root, report, clone) => {
  // Numbers and paths of a manifest have no variables: defaults take their places.
  const file = new Fields(root, "compose", report, withDefaults);
  const services = file.map("services");
  const names = [...(services?.node.entries.keys() ?? [])];
  const hosts = new Map(names.map((name) => [name, `service.${logicalNameOf(name)}`]));
  file.take("version");
  file.take("name");
  const found = names.flatMap((name) => {
    const fields = services?.map(name);
    if (fields === undefined) return [];
    const image = textIn(fields.take("image")) ?? "";
    const store = stores.find(([pattern]) => pattern.test(image))?.[1];
    const service = store ? storeOf(name, store, image, fields) : program(name, image, fields, hosts, clone);
    return [{ fields, service, store, own: hosts.get(name) ?? "" }];
  });
  const order = new Map(found.map(({ service, own }) => [own, referredIn(service)]));
  const converted = found.map(({ fields, service, store, own }) => {
    const dependsOn = orderOf(fields, own, hosts, order);
    if (store) fields.finish("the service runs the database itself");
    return { ...service, dependsOn };
  });
  file.finish();
  return { services: converted };
};

/** Addresses of the services that its variables refer to. */
const referredIn = ({ variables = {} }: ConvertedService): string[] =>
  [...JSON.stringify(variables).matchAll(/\$\{(service\.[\w-]+)\./g)].map(([, found = ""]) => found);

/**
 * Returns the addresses of the services in `depends_on`, a list of names or a mapping by name. One that refers back to this
 * service is left out: a manifest takes no circle.
 */
function orderOf(
  fields: Fields,
  own: string,
  hosts: ReadonlyMap<string, string>,
  order: Map<string, string[]>,
): readonly string[] {
  const given = fields.take("depends_on");
  const wanted = given?.kind === "map" ? [...given.entries.keys()] : fields.texts("depends_on");
  return wanted.flatMap((name) => {
    const address = hosts.get(name) ?? "";
    const before = reachable([address], (other) => order.get(other) ?? []);
    if (hosts.has(name) && !before.has(own)) {
      append(order, own, address);
      return [address];
    }
    const why = hosts.has(name) ? "it refers to this service in turn" : "the file has no such service";
    fields.note("depends_on", `${name}: ${why}`);
    return [];
  });
}

/** A database that the service runs: it makes its own password. */
function storeOf(name: string, kind: string, image: string, fields: Fields): ConvertedService {
  const [path = "", digest] = image.split("@");
  const isOwn = /^(docker\.io\/)?(library\/)?(postgres|redis|valkey)(:|$)/.test(path);
  if (!isOwn || digest !== undefined)
    fields.note("image", "extensions and pinned versions of the image are not kept");
  if (kind !== "postgres") return { name, kind, configuration: {} };
  const environment = new Map(environmentOf(fields.node.entries.get("environment")?.value));
  const named = (key: string): string | undefined => {
    const value = environment.get(key);
    return value && templateOf(textIn(value) ?? `$${key}`, (what) => fields.note("environment", what));
  };
  const databaseVersion = /:(?:pg)?(\d+)[^/]*$/.exec(withDefaults(path) ?? "")?.[1];
  const [databaseName, databaseUser] = [named("POSTGRES_DB"), named("POSTGRES_USER")];
  return { name, kind, configuration: { databaseVersion, databaseName, databaseUser } };
}

function program(
  name: string,
  image: string,
  fields: Fields,
  hosts: ReadonlyMap<string, string>,
  clone: Clone,
): ConvertedService {
  const bound = fields.items("ports").map(portOf);
  const exposed = fields.items("expose").map(portOf);
  const open = bound.find(({ isPublic }) => isPublic);
  if (bound.length > 0 && open === undefined)
    fields.note("ports", "none is a public TCP port: a worker has no public address");
  const port = (open ?? [...bound, ...exposed].find((one) => one.port !== undefined))?.port;
  if (bound.length + exposed.length > 1 && port !== undefined)
    fields.note(bound.length > 0 ? "ports" : "expose", `a service listens on one port; ${port} is kept`);
  const isBuilt = image === "" || fields.take("build") !== undefined;
  if (isBuilt && image !== "") fields.note("image", "it is built instead of this image");
  const deploy = fields.map("deploy");
  const replicas = deploy?.number("replicas") ?? fields.number("scale");
  const configuration = {
    ...(isBuilt
      ? buildOf(fields, clone)
      : { image: templateOf(image, (what) => fields.note("image", what)) }),
    startCommand: startOf(fields),
    port,
    replicas,
  };
  const others = new Map([...hosts].filter(([other]) => other !== name));
  const variables = variablesIn(fields, others);
  const kind = open === undefined ? "worker" : "web";
  return { name, kind, configuration, variables, variablesFrom: envFilesOf(fields) };
}

function variablesIn(fields: Fields, hosts: ReadonlyMap<string, string>): Record<string, Plain> {
  return Object.fromEntries(
    environmentOf(fields.take("environment")).map(([key, value]) => {
      const note = (what: string) => fields.note(`environment.${key}`, what, value);
      const text = textIn(value);
      if (text === undefined) note("it has no value, and so is required in the environment");
      return [key, text === undefined ? { fromEnv: key } : variableOf(key, text, hosts, note)];
    }),
  );
}

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
      const word = isText ? text.replace(quotedOrSpace, (_, quoted) => quoted ?? " ") : quotedWord(text);
      return templateOf(word, (what) => fields.note(key, what));
    });
  });
  const start = words.filter((word) => word !== "").join(" ");
  if (start.includes("\n"))
    fields.note("command", "the command has several lines, which the service may not take");
  return start === "" ? undefined : start;
}

const quotedWord = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A build of the folder that the file is in, or of an address. */
function buildOf(fields: Fields, clone: Clone): ConvertedMap {
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
function portOf(node: SourceNode): { readonly port: number | undefined; readonly isPublic: boolean } {
  const [host = "", target = ""] = ["host_ip", "target"].map((key) => {
    const text = partOf(node, key) ?? textIn(node) ?? "";
    return withDefaults(text) ?? text;
  });
  const found = Number(/(\d+)(?:-\d+)?(?:\/tcp)?$/.exec(target)?.[1]);
  const port = found > 0 && partOf(node, "protocol") !== "udp" ? found : undefined;
  const isLocal = /^(127\.|localhost\b|\[?::1\]?(?:$|:))/.test(host);
  return { port, isPublic: port !== undefined && !isLocal };
}
