import type { Emulator } from "../../src/emulator/emulator";

/** Returns a text without IDs and generated values, which each engine makes up by itself. */
export const withoutIds = (text: string): string =>
  /^[\w-]{32}$/.test(text) ? "generated" : text.replace(/-[0-9a-f]{8}(?=\.)/g, "-ID");

/** Returns the resources at a service by their names, sorted; variables as `KEY=value`. Equal worlds mean the same. */
export function worldOf({ store }: Pick<Emulator, "store">) {
  const projects = new Map(store.projects().map(({ id, ...project }) => [id, project]));
  // Paths and addresses are sets: their order does not count.
  const sorted = (value: unknown): unknown => (Array.isArray(value) ? [...value].sort() : value);
  const services = store.services().map(({ id, name, kind, projectId, configuration }) => ({
    ...{ project: projects.get(projectId ?? "")?.name ?? "", name, kind },
    configuration: Object.fromEntries(
      Object.entries(configuration).map(([field, value]) => [field, sorted(value)]),
    ),
    deployments: store.deployments(id).length,
    variables: store
      .variables(id)
      .map((one) => `${one.key}=${withoutIds(store.variableValue(one.id) ?? "")}`)
      .sort(),
  }));
  const place = (one: (typeof services)[number]): string => `${one.project}/${one.name}`;
  return {
    projects: [...projects.values()]
      .map(({ name, description, color }) => ({ name, description, color }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    services: services.sort((a, b) => (place(a) < place(b) ? -1 : 1)),
  };
}
