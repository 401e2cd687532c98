import * as z from "zod";
import { configurationFields } from "../../api/wire/configuration";
import { nonEmpty, parseBody, uuid } from "../body";
import { planFor } from "../catalog";
import type { Configuration } from "../records";
import { invalid } from "../refusal";
import type { GapSwitches, World } from "../world";

const fields = z.strictObject(configurationFields).partial();

const creation = z.strictObject({
  name: nonEmpty,
  kind: nonEmpty,
  configuration: fields,
  deploy: z.boolean(),
  projectId: uuid.optional(),
  environmentId: uuid.optional(),
});
const nestedChange = z.strictObject({ name: nonEmpty.optional(), configuration: fields.optional() });
const flatChange = fields.extend({ name: nonEmpty.optional() });

/** Body of `POST …/services`. */
export function parseCreation(body: unknown): z.infer<typeof creation> {
  const parsed = parseBody(creation, body);
  if ((parsed.projectId === undefined) !== (parsed.environmentId === undefined)) {
    throw invalid("projectId and environmentId are given together, or neither");
  }
  return parsed;
}

/** Body of `PATCH …/services/{id}`, in the form that this service is set up to read. */
export function parseChange(
  body: Readonly<Record<string, unknown>>,
  form: GapSwitches["servicePatch"],
): { readonly name?: string; readonly configuration: Configuration } {
  if (body.kind !== undefined) throw invalid("kind: is immutable after creation");
  if (form === "nested" || (form === "both" && body.configuration !== undefined)) {
    const { name, configuration } = parseBody(nestedChange, body);
    return { name, configuration: configuration ?? {} };
  }
  const { name, ...configuration } = parseBody(flatChange, body);
  return { name, configuration };
}

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
