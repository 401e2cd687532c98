import type { Desired, DesiredAttribute } from "../model/desired";
import { Template } from "../model/value";
import type { LabelledGraph } from "../render/graph";
import { exitCodeOf, type Outcome } from "./context";
import { type LoadContext, load } from "./load";

export interface GraphOutcome extends Outcome {
  readonly graph?: LabelledGraph;
}

/** `rnv graph`: what depends on what, from the manifest alone. */
export async function graph(
  context: LoadContext,
  request: { readonly files: readonly string[] },
): Promise<GraphOutcome> {
  const { desired, diagnostics, sources } = await load(context, request.files, "skip");
  return { graph: desired && graphOf(desired), diagnostics, sources, exitCode: exitCodeOf(diagnostics) };
}

function graphOf({ resources, data }: Desired): LabelledGraph {
  const edges = [...resources.values()].flatMap(({ address, parent, dependsOn, attributes }) => {
    const referenced = [...attributes.values()].flatMap(referredBy);
    const needed = new Set([...(parent === undefined ? [] : [parent]), ...dependsOn, ...referenced]);
    return [...needed].map((to) => ({ from: address, to }));
  });
  const lookups = [...data.values()].flatMap(({ address, query, dependsOn }) =>
    [...new Set([...dependsOn, ...[...query.values()].flatMap(referredBy)])].map((to) => ({
      from: address,
      to,
    })),
  );
  return { nodes: [...resources.keys(), ...data.keys()], edges: [...edges, ...lookups] };
}

const referredBy = ({ value }: DesiredAttribute) =>
  value instanceof Template ? value.references.map(({ address }) => address) : [];
