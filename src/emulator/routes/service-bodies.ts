import * as z from "zod";
import { configurationFields } from "../../api/wire/configuration";
import { nonEmpty, parseBody, uuid } from "../body";
import { planFor } from "../catalog";
import type { Configuration } from "../records";
import { invalid } from "../refusal";
import type { World } from "../world";

/** The documented fields, and those beyond them that the catalog's defaults name, with the type of their default. */
function fieldsOf(defaults: World["catalog"]["defaults"]) {
  const further = Object.entries(defaults)
    .filter(([field]) => !Object.hasOwn(configurationFields, field))
    .map(([field, initial]) => [field, ofTypeOf(initial)] as const);
  return z.strictObject({ ...configurationFields, ...Object.fromEntries(further) }).partial();
}

function ofTypeOf(value: unknown): z.ZodType {
  if (Array.isArray(value)) return z.array(z.unknown());
  const kinds = { string: z.string(), number: z.number(), boolean: z.boolean() } as const;
  return kinds[typeof value as keyof typeof kinds] ?? z.unknown();
}

function bodiesOf({ defaults }: World["catalog"]) {
  const configuration = fieldsOf(defaults);
  const nested = z.strictObject({ name: nonEmpty.optional(), configuration: configuration.optional() });
  return {
    creation: z.strictObject({
      name: nonEmpty,
      kind: nonEmpty,
      configuration,
      deploy: z.boolean(),
      projectId: uuid.optional(),
      environmentId: uuid.optional(),
    }),
    nested,
    flat: configuration.extend({ name: nonEmpty.optional() }),
    wrapped: z.strictObject({ service: nested }),
  };
}

type Bodies = ReturnType<typeof bodiesOf>;

const known = new WeakMap<World["catalog"], Bodies>();

function bodies({ catalog }: World): Bodies {
  const made = known.get(catalog) ?? bodiesOf(catalog);
  known.set(catalog, made);
  return made;
}

/** Body of `POST …/services`. */
export function parseCreation(body: unknown, world: World): z.infer<Bodies["creation"]> {
  const parsed = parseBody(bodies(world).creation, body);
  if ((parsed.projectId === undefined) !== (parsed.environmentId === undefined)) {
    throw invalid("projectId and environmentId are given together, or neither");
  }
  return parsed;
}

interface ServiceChange {
  readonly name?: string;
  readonly configuration: Configuration;
}

/** Body of the PATCH of a service, in the form that this one is set up to read. */
export function parseChange(body: Readonly<Record<string, unknown>>, world: World): ServiceChange {
  const form = world.gaps.servicePatch;
  const { nested, flat, wrapped } = bodies(world);
  if (body.kind !== undefined) throw invalid("kind: is immutable after creation");
  if (form === "wrapped") return changeIn(parseBody(wrapped, body).service);
  if (form === "ignored") return changeIn(wrapped.safeParse(body).data?.service ?? {});
  if (form === "nested" || (form === "both" && body.configuration !== undefined))
    return changeIn(parseBody(nested, body));
  const { name, ...configuration } = parseBody(flat, body);
  return { name, configuration };
}

const changeIn = ({ name, configuration = {} }: z.infer<Bodies["nested"]>): ServiceChange => ({
  name,
  configuration,
});

/** 400 for a kind, plan, region or runtime that the catalog does not list. */
export function requireOnOffer({ catalog }: World, kind: string, configuration: Configuration): void {
  if (!catalog.serviceTypes.some((type) => type.id === kind))
    throw invalid(`kind: "${kind}" is not on offer`);
  const { plan, region, runtime } = configuration;
  if (planFor(catalog, kind, plan) === undefined) {
    throw invalid(`configuration.plan: "${plan}" is not on offer for ${kind}`);
  }
  if (!catalog.regions.some((offer) => offer.id === region)) {
    throw invalid(`configuration.region: "${region}" is not on offer`);
  }
  if (!catalog.runtimes.includes(runtime as string)) {
    throw invalid(`configuration.runtime: "${runtime}" is not on offer`);
  }
}
