import { z } from "zod";
import { plan as catalogPlan } from "../api/wire/shapes";
import { addressOf, isLogicalName } from "../model/address";
import { type Catalog, emptyCatalog } from "../model/catalog";
import type { Plain } from "../model/value";
import { service } from "../resources/service";
import {
  asObject,
  decodeValue,
  encodeMessage,
  objectOf,
  type TerraformObject,
  type TerraformType,
  type TerraformValue,
  toPlain,
  valueAt,
} from "./codec";
import type { Message } from "./protocol";
import type { RpcAnswer } from "./provider";
import { type AttributeSchema, markdown, typeBytes } from "./schema/block";
import { shapeOf } from "./schema/terraform-shape";

export interface ProviderFunction {
  readonly name: string;
  readonly summary: string;
  readonly doc: string;
  readonly parameters: readonly (Pick<AttributeSchema, "name" | "type" | "doc"> & { allowNull?: true })[];
  readonly returns: TerraformType;
  readonly call: (...given: readonly TerraformValue[]) => TerraformValue;
}

/** An argument that cannot be used; its index counts from 0. */
class ArgumentError extends Error {
  constructor(
    message: string,
    readonly argument: number,
  ) {
    super(message);
  }
}

const serviceAddress: ProviderFunction = {
  name: "service_address",
  summary: "The address of a service in rnv",
  doc: "The address by which `rnv` names a service: `service.shop.api`, or `service.docs` outside of a project.",
  parameters: [
    {
      name: "project",
      type: "string",
      doc: "Logical name of its project; null for a service outside of a project.",
      allowNull: true,
    },
    { name: "service", type: "string", doc: "Logical name of the service." },
  ],
  returns: "string",
  call: (project, name) => {
    const names = [project, name].filter((one) => one !== null) as string[];
    for (const [index, one] of [project, name].entries())
      if (one !== null && !isLogicalName(one as string))
        throw new ArgumentError("expected letters, digits, _ and -, not starting with -", index);
    return addressOf(service.type, ...names);
  },
};

const monthlyCost: ProviderFunction = {
  name: "monthly_cost",
  summary: "The estimated monthly price of a service",
  doc:
    "The price of a service's plan times its instances, by the catalog. Takes the `rnv_catalog` data source, and an " +
    "`rnv_service` or an object like it: `{ kind, configuration = { plan, replicas } }`. Both prices are null where the " +
    "catalog has none.",
  parameters: [
    { name: "catalog", type: "dynamic", doc: "The data source `rnv_catalog`." },
    { name: "service", type: "dynamic", doc: "A service, or an object with its `kind` and `configuration`." },
  ],
  returns: objectOf({ usd: "number", ngn: "number" }),
  call: (catalog, given) => {
    const offered = catalogFrom(catalog ?? null);
    const whole = serviceFrom(given ?? null);
    const defaults = service.defaults(offered);
    const { declared } = shapeOf(service);
    const get = (path: string): Plain | undefined => {
      const { steps = [], type } = declared.find((one) => one.path === path) ?? {};
      const value = toPlain(valueAt(whole, steps)) ?? defaults.get(path);
      // A number in quotes is one, as of every attribute.
      if (type !== "number" || typeof value !== "string") return value;
      if (/^-?\d+(\.\d+)?$/.test(value)) return Number(value);
      throw new ArgumentError(`${steps.join(".")}: expected a number`, serviceArgument);
    };
    const price = service.monthlyCost?.({ get }, offered);
    return { usd: price?.usd ?? null, ngn: price?.ngn ?? null };
  },
};

const serviceArgument = 1;

/** Returns a service as a configuration declares it. In an object of the user's own no schema refuses a misspelt field. */
function serviceFrom(given: TerraformValue): TerraformObject {
  const whole = asObject(toPlain(given) as TerraformValue);
  if (whole === undefined) throw new ArgumentError("expected a service", serviceArgument);
  const fields = asObject(whole.configuration ?? {});
  if (fields === undefined) throw new ArgumentError("configuration: expected an object", serviceArgument);
  const known = new Set(shapeOf(service).declared.map(({ steps }) => steps.join(".")));
  const stray = Object.keys(fields).find((name) => !known.has(`configuration.${name}`));
  if (stray === undefined) return whole;
  throw new ArgumentError(`there is no field "${stray}" in configuration`, serviceArgument);
}

const prices = z.array(catalogPlan.pick({ id: true, kinds: true, usd: true, ngn: true }));
const catalogPrices = z.object({
  plans: prices,
  database_plans: prices.nullish(),
  defaults: z.record(z.string(), z.unknown()).nullish(),
});

function catalogFrom(value: TerraformValue): Catalog {
  const read = catalogPrices.safeParse(toPlain(value));
  if (!read.success) throw new ArgumentError("expected the data source rnv_catalog", 0);
  const { plans, database_plans: databasePlans, defaults } = read.data;
  return {
    ...emptyCatalog,
    plans: plans as never[],
    databasePlans: (databasePlans ?? []) as never[],
    defaults: (defaults ?? {}) as Catalog["defaults"],
  };
}

export const functions: readonly ProviderFunction[] = [serviceAddress, monthlyCost];

export const functionMessage = (described: ProviderFunction): Message<"Function"> => ({
  summary: described.summary,
  description: described.doc,
  descriptionKind: markdown,
  return: { type: typeBytes(described.returns) },
  parameters: described.parameters.map(({ name, type, doc: description, allowNull }) => ({
    name,
    type: typeBytes(type),
    description,
    descriptionKind: markdown,
    allowNullValue: allowNull,
  })),
});

/** CallFunction: pure, and answered by a provider that was never configured. */
export const callFunction: RpcAnswer<"CallFunction"> = async (_provider, request) => {
  const called = functions.find(({ name }) => name === request.name);
  if (called === undefined) return { error: { text: `this provider has no function "${request.name}"` } };
  const given = called.parameters.map(({ type }, index) =>
    decodeValue(type, request.arguments[index]?.msgpack),
  );
  try {
    return { result: encodeMessage(called.returns, called.call(...given)) };
  } catch (failure) {
    if (failure instanceof ArgumentError)
      return { error: { text: failure.message, functionArgument: failure.argument } };
    return { error: { text: `this is a bug in the provider: ${String(failure)}` } };
  }
};
