import type { Route } from "./call";
import type { GapSwitches } from "./gap-switches";
import { notFound, Refusal } from "./refusal";
import { canvasRoutes } from "./routes/canvas-routes";
import { catalogRoutes } from "./routes/catalog-routes";
import { deploymentRoutes, rollBackRoutes } from "./routes/deployment-routes";
import { projectGapRoutes, projectRoutes } from "./routes/project-routes";
import { serviceGapRoutes, serviceRoutes } from "./routes/service-routes";
import { listVariablesRoutes, variableRoutes } from "./routes/variable-routes";

export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a method and a path below the base URL; throws 404 or, with `Allow`, 405. */
export type Match = (method: string, path: string) => RouteMatch;

const parameter = /\{(\w+)\}/g;
const uuidText = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** The routes of the interface, plus the gap routes that this service is set up with. */
export function createRouter(gaps: GapSwitches): Match {
  const routes = [
    ...catalogRoutes,
    ...projectRoutes,
    ...projectGapRoutes(gaps),
    ...serviceRoutes,
    ...serviceGapRoutes(gaps),
    ...deploymentRoutes,
    ...rollBackRoutes(gaps),
    ...variableRoutes,
    ...listVariablesRoutes(gaps),
    ...canvasRoutes,
  ].map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replace(parameter, (_, name) => `(?<${name}>${uuidText})`)}$`),
  }));

  return (method, path) => {
    const found = routes.filter(({ pattern }) => pattern.test(path));
    const match = found.find(({ route }) => route.method === method);
    if (match !== undefined) {
      const groups = match.pattern.exec(path)?.groups ?? {};
      const params = Object.entries(groups).map(([name, id]) => [name, id.toLowerCase()]);
      return { route: match.route, params: Object.fromEntries(params) };
    }
    if (found.length === 0) throw notFound("The path");
    const allow = found.map(({ route }) => route.method).join(", ");
    throw new Refusal(405, "method_not_allowed", `${method} is not supported here`, { allow });
  };
}
