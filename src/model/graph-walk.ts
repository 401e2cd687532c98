/** Returns the roots and every node that is reached from them by `next`. */
export function reachable<Node>(roots: Iterable<Node>, next: (node: Node) => readonly Node[]): Set<Node> {
  const reached = new Set(roots);
  for (const node of reached) for (const further of next(node)) reached.add(further);
  return reached;
}

/**
 * Returns the nodes and all their dependencies, the dependencies first. A dependency that closes a ring is left out of
 * account, and `onRing` gets the nodes of that ring.
 */
export function topologicalOrder<Node>(
  nodes: Iterable<Node>,
  dependenciesOf: (node: Node) => readonly Node[],
  onRing: (ring: readonly Node[]) => void,
): readonly Node[] {
  const order: Node[] = [];
  const state = new Map<Node, "open" | "done">();
  for (const root of nodes) {
    // A path of its own: thousands that depend on each other in a row are too deep for the stack.
    const path: { readonly node: Node; next: number }[] = [];
    const open = (node: Node): void => {
      state.set(node, "open");
      path.push({ node, next: 0 });
    };
    if (!state.has(root)) open(root);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const on = dependenciesOf(top.node)[top.next];
      top.next += 1;
      if (on === undefined) {
        state.set(top.node, "done");
        order.push(top.node);
        path.pop();
      } else if (!state.has(on)) open(on);
      else if (state.get(on) === "open")
        onRing(path.slice(path.findIndex(({ node }) => node === on)).map(({ node }) => node));
    }
  }
  return order;
}
