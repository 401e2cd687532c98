import { type App, TerraformOutput, TerraformStack, TerraformVariable } from "cdktf";
import { fromEnv, generate, Project, RnvProvider, Service } from "../../../src/cdktf/cdktf";

type Props = ConstructorParameters<typeof Service>[2];
type ProjectProps = NonNullable<ConstructorParameters<typeof Project>[2]>;
type Source = string | { readonly fromEnv: string } | { readonly generate: { readonly length: number } };

interface ServiceBlock extends Pick<Props, "kind" | "configuration" | "lifecycle"> {
  readonly variables?: Readonly<Record<string, Source>>;
  readonly deploy?: { readonly timeout?: string };
}

interface ProjectBlock extends ProjectProps {
  readonly services: Readonly<Record<string, ServiceBlock>>;
}

export interface ExampleManifest {
  readonly projects: Readonly<Record<string, ProjectBlock>>;
  readonly services?: Readonly<Record<string, ServiceBlock>>;
  readonly outputs?: Readonly<Record<string, string>>;
}

/** Writes a manifest of the examples as a stack: a construct for each block, a token for each reference. */
export function stackOf(
  app: App,
  { projects, services = {}, outputs = {} }: ExampleManifest,
): TerraformStack {
  const stack = new TerraformStack(app, "example");
  new RnvProvider(stack, "rnv");
  const made = new Map<string, { readonly service: Service; readonly block: ServiceBlock }>();
  for (const [id, { services: inner, ...fields }] of Object.entries(projects)) {
    const project = new Project(stack, id, fields);
    for (const [name, block] of Object.entries(inner))
      made.set(`${id}.${name}`, { service: project.addService(name, propsOf(block)), block });
  }
  for (const [id, block] of Object.entries(services))
    made.set(id, { service: new Service(stack, id, propsOf(block)), block });

  const textOf = (text: string): string =>
    text.replace(/\$\{(\w+)\.(?:(.*)\.)?(\w+)\}/g, (_, root, address, name) =>
      root === "env"
        ? new TerraformVariable(stack, name, { type: "string" }).stringValue
        : (made.get(address)?.service[name as "url" | "internalHost"] ?? ""),
    );
  const sourceOf = (value: Source) => {
    if (typeof value === "string") return textOf(value);
    return "fromEnv" in value ? fromEnv(value.fromEnv) : generate(value.generate);
  };
  for (const { service, block } of made.values()) {
    for (const [key, value] of Object.entries(block.variables ?? {}))
      service.addVariable(key, sourceOf(value));
    service.deployOnChange(block.deploy ?? {});
  }
  for (const [name, value] of Object.entries(outputs))
    new TerraformOutput(stack, name, { value: textOf(value) });
  return stack;
}

const propsOf = ({ kind, configuration, lifecycle }: ServiceBlock): Props => ({
  kind,
  configuration,
  ...(lifecycle && { lifecycle }),
});

const isBlock = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a block with the keys of an overlay laid over its own. */
export function overlaid(base: unknown, overlay: unknown): unknown {
  if (!isBlock(base) || !isBlock(overlay)) return overlay;
  const keys = Object.entries(overlay).map(([key, value]) => [key, overlaid(base[key], value)]);
  return { ...base, ...Object.fromEntries(keys) };
}
