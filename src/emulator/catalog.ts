import type { CatalogAnswer } from "../api/wire/catalog";
import { documentedDefaults } from "../api/wire/configuration";

const built = ["web", "static", "worker", "cron"];
const stores = ["postgres", "redis"];
const nairaPerDollar = 1500;

const plan = (
  id: string,
  kinds: readonly string[],
  usd: number,
  size: { cpu: number; memoryMb: number; storageGb: number; connections?: number },
): CatalogAnswer["plans"][number] => ({
  id,
  name: id.replace(/^./, (first) => first.toUpperCase()),
  kinds: [...kinds],
  cpu: size.cpu,
  memoryMb: size.memoryMb,
  storageGb: size.storageGb,
  transferGb: usd === 0 ? 10 : usd * 20,
  buildMinutes: usd === 0 ? 300 : usd * 100,
  logDays: usd === 0 ? 1 : 14,
  backupRetentionDays: usd === 0 ? 1 : 7,
  maxConnections: size.connections ?? 0,
  workspaceLimit: usd === 0 ? 25 : 0,
  usd,
  ngn: usd * nairaPerDollar,
});

/** What the emulated service offers (interface, "Catalog"). */
export const embeddedCatalog: CatalogAnswer = {
  capabilities: { workerOnline: true, rollbacks: true, privateNetworking: true },
  plans: [
    plan("free", built, 0, { cpu: 0.1, memoryMb: 256, storageGb: 1 }),
    plan("starter", ["web", "worker", "cron"], 7, { cpu: 0.5, memoryMb: 512, storageGb: 5 }),
    plan("standard", ["web", "worker", "cron"], 25, { cpu: 1, memoryMb: 2048, storageGb: 20 }),
    plan("pro", ["web", "worker"], 85, { cpu: 2, memoryMb: 4096, storageGb: 50 }),
  ],
  databasePlans: [
    plan("free", stores, 0, { cpu: 0.1, memoryMb: 256, storageGb: 1, connections: 20 }),
    plan("basic", stores, 10, { cpu: 0.5, memoryMb: 1024, storageGb: 10, connections: 100 }),
    plan("advanced", ["postgres"], 60, { cpu: 2, memoryMb: 4096, storageGb: 100, connections: 400 }),
  ],
  defaults: { ...documentedDefaults },
  pricesAreEstimates: true,
  regions: [
    { id: "auto", name: "Automatic", description: "The region with room" },
    { id: "lagos", name: "Lagos", description: "West Africa" },
    { id: "frankfurt", name: "Frankfurt", description: "Central Europe" },
    { id: "virginia", name: "Virginia", description: "Eastern United States" },
  ],
  runtimes: ["auto", "node", "python", "go", "ruby", "php", "rust", "java", "docker"],
  serviceTypes: [
    { id: "web", name: "Web service", plural: "Web services", description: "Serves HTTP", runtime: true },
    {
      id: "static",
      name: "Static site",
      plural: "Static sites",
      description: "Serves files",
      runtime: false,
    },
    { id: "worker", name: "Worker", plural: "Workers", description: "Runs in the background", runtime: true },
    { id: "cron", name: "Cron job", plural: "Cron jobs", description: "Runs on a schedule", runtime: true },
    { id: "postgres", name: "PostgreSQL", plural: "Databases", description: "A database", runtime: true },
    { id: "redis", name: "Redis", plural: "Key-value stores", description: "A cache", runtime: true },
  ],
};

/** The plan of that id which the catalog offers for a kind. */
export const planFor = (
  catalog: CatalogAnswer,
  kind: string,
  id: unknown,
): CatalogAnswer["plans"][number] | undefined =>
  [...catalog.plans, ...catalog.databasePlans].find((offer) => offer.id === id && offer.kinds.includes(kind));
