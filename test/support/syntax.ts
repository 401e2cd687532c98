import { parseSync } from "@swc/core";

/** A node of the syntax tree; every member is another node, a list of nodes, or plain. */
export interface Node {
  readonly type: string;
  /** Half-open range of character offsets. */
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** Parses TypeScript into a tree with character offsets; undefined where it does not parse. */
export function parseTypeScript(text: string): Node | undefined {
  // swc counts bytes, from wherever it likes: the first statement, which is ours, tells from where.
  const anchor = "0;";
  try {
    const module = parseSync(anchor + text, { syntax: "typescript", target: "es2022" });
    const first = module.body[0]?.span.start ?? 0;
    const charAt = charOffsets(text);
    return located(module, (byte) => charAt(byte - first - anchor.length)) as Node;
  } catch {
    return undefined;
  }
}

/** The nodes right below `node`, in the order of their members. */
export const childrenOf = (node: Node): readonly Node[] => Object.values(node).flatMap(nodesOf);

/** A method keeps its parameters and its body in an object that is no node itself. */
function nodesOf(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (isNode(value)) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(nodesOf) : [];
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function located(value: unknown, charAt: (byte: number) => number): unknown {
  if (Array.isArray(value)) return value.map((item) => located(item, charAt));
  if (value === null || typeof value !== "object") return value;
  const { span, ...members } = value as { span?: { start: number; end: number } };
  const rest = Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, located(member, charAt)]),
  );
  // An argument of a call is wrapped without a type of its own.
  if (!("type" in rest) && isNode(rest.expression)) return rest.expression;
  return span === undefined ? rest : { ...rest, start: charAt(span.start), end: charAt(span.end) };
}

function charOffsets(text: string): (byte: number) => number {
  const bytes = Buffer.from(text);
  if (bytes.length === text.length) return (byte) => byte;
  return (byte) => bytes.toString("utf8", 0, Math.max(0, byte)).length;
}
