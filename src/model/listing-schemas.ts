interface ListingQuery {
  readonly type: "string" | "number";
  readonly doc: string;
  readonly isNeeded?: true;
}

/** A data source for a list of the service, or for an entry of it that is no resource. Names are those of a program. */
export interface Listing {
  readonly doc: string;
  readonly query: Readonly<Record<string, ListingQuery>>;
  /** Its attributes, each with its description. */
  readonly shows: Readonly<Record<string, string>>;
  /** Those of `shows` that are text; unless named, a value is of any shape. */
  readonly texts?: readonly string[];
}

const ofService: ListingQuery = { type: "string", doc: "Id of the service.", isNeeded: true };

const textsOfDeployment = {
  status: "Status: `queued`, `live`, `failed` and so on.",
  trigger: "What started it.",
  actor: "Who started it.",
  branch: "Branch it was made of.",
  commitSha: "Commit it was made of; empty where none was named.",
  commitMessage: "First line of that commit.",
  blockedReason: "Why it waits in the queue; empty where nothing holds it.",
  error: "Why it failed.",
  sourceDeploymentId: "Of a rollback: the deployment whose release it serves again.",
  createdAt: "When it was queued, ISO 8601.",
  startedAt: "When it began, ISO 8601.",
  finishedAt: "When it ended, ISO 8601.",
};

export const listings: Readonly<Record<string, Listing>> = {
  rnv_catalog: {
    doc: "Plans, regions, runtimes, service types and defaults that the platform offers. Prices are estimates.",
    query: {},
    shows: {
      capabilities: "What the platform can do now.",
      plans: "Plans of services, with monthly prices in USD and NGN.",
      databasePlans: "Plans of databases.",
      defaults: "Default of each configuration field.",
      pricesAreEstimates: "Whether prices are estimates.",
      regions: "Available regions.",
      runtimes: "Available runtimes.",
      serviceTypes: "Kinds of services.",
    },
  },
  rnv_projects: {
    doc: "Every project of the workspace.",
    query: {},
    shows: { projects: "The projects, sorted by name." },
  },
  rnv_services: {
    doc: "Every active service of the workspace, or of one project, with its configuration.",
    query: {
      projectId: { type: "string", doc: "Only services of this project." },
      kind: { type: "string", doc: "Only services of this kind." },
    },
    shows: { services: "The services, sorted by name." },
  },
  rnv_deployment: {
    doc: "One deployment of a service: the one of an id, or the one that serves now.",
    query: {
      serviceId: ofService,
      id: { type: "string", doc: "Id of the deployment; that of the one that serves unless given." },
    },
    shows: {
      ...textsOfDeployment,
      cancelRequested: "True if its cancellation was requested.",
      canRollback: "Whether the service can go back to it.",
      steps: "Its steps, with their times.",
    },
    texts: Object.keys(textsOfDeployment),
  },
  rnv_deployments: {
    doc: "The latest deployments of one service, newest first.",
    query: { serviceId: ofService, limit: { type: "number", doc: "How many, 1 to 200. Default: 20." } },
    shows: {
      available: "False where hosting is off and nothing runs.",
      items: "The deployments.",
      reason: "Why none are available.",
    },
  },
  rnv_variables: {
    doc: "The variables of one service: their names and times, never their values.",
    query: { serviceId: ofService },
    shows: { keys: "Their names, sorted.", variables: "The variables, sorted by name." },
  },
  rnv_canvas: {
    doc: "Services, groups and references of the workspace, of a project or of one environment, with the saved layout.",
    query: {
      projectId: { type: "string", doc: "Only this project." },
      environmentId: { type: "string", doc: "Only this environment of the project." },
    },
    shows: {
      nodes: "Services.",
      groups: "Environment groups.",
      edges: "References between them: names of variables only.",
      layout: "Saved places and view.",
    },
  },
};

export const defaultListed = 20;
