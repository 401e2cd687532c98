import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Story, World } from "../world";

const header = `terraform {\n  required_providers { rnv = { source = "rnv/rnv" } }\n}\nprovider "rnv" {}\n`;

interface Configured {
  readonly branch?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly variables?: string;
}

/** A provider whose deployments have `triggers` is given them; an older one finds out what changed by itself. */
const triggersOf = ({ build }: World): string =>
  readFileSync(join(build.root, "docs/resources/deployment.md"), "utf8").includes("`revision`")
    ? "triggers = { config = rnv_service.api.revision, variables = rnv_variables.api.revision }"
    : "";

/** A project, a service, its variables and its deployment, which waits for the variables. */
const configured = (
  world: World,
  { branch = "main", kind = "web", name = "api", variables = 'A = "one"' }: Configured = {},
): string => `${header}
resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "api" {
  name       = "${name}"
  kind       = "${kind}"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/api"
    branch     = "${branch}"
  }
}
resource "rnv_variables" "api" {
  service_id = rnv_service.api.id
  values     = { ${variables} }
}
resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  depends_on = [rnv_variables.api]
  ${triggersOf(world)}
}
output "url" { value = rnv_service.api.url }
`;

const apply = ["apply", "-auto-approve"] as const;
const planned = ["plan", "-detailed-exitcode"] as const;

/** The real `terraform` with the built provider. */
export const terraformStories: readonly Story[] = [
  {
    name: "terraform: a life",
    play: async (world) => {
      world.write("main.tf", configured(world));
      await world.terraform("validate");
      await world.terraform(...apply);
      await world.terraform(...planned);
      world.write("main.tf", configured(world, { branch: "next" }));
      await world.terraform(...planned);
      await world.terraform(...apply);
      world.store.editConfiguration(world.service("api").id, { branch: "hotfix" });
      await world.terraform(...planned);
      await world.terraform(...apply);
      await world.terraform(...planned);
      await world.terraform("destroy", "-auto-approve");
    },
  },
  {
    name: "terraform: variables and deployments",
    play: async (world) => {
      world.write("main.tf", configured(world));
      await world.terraform(...apply);
      world.write("main.tf", configured(world, { variables: 'A = "two", B = "new"' }));
      await world.terraform(...apply);
      await world.terraform(...planned);
      world.write("main.tf", configured(world, { variables: 'B = "new"' }));
      await world.terraform(...apply);
      await world.terraform(...planned);
    },
  },
  {
    name: "terraform: rename and replace",
    play: async (world) => {
      world.write("main.tf", configured(world));
      await world.terraform(...apply);
      world.write("main.tf", configured(world, { name: "backend" }));
      await world.terraform(...apply);
      world.write("main.tf", configured(world, { name: "backend", kind: "static" }));
      await world.terraform(...planned);
      await world.terraform(...apply);
      await world.terraform(...planned);
    },
  },
  {
    name: "terraform: import, and a name in use",
    play: async (world) => {
      const { id: projectId } = world.store.addProject({ name: "Shop" });
      const { id } = world.store.addService({ name: "api", projectId, live: true });
      world.write("main.tf", configured(world));
      await world.terraform(...planned);
      world.write(
        "imports.tf",
        `import {\n  to = rnv_project.shop\n  id = "${projectId}"\n}\nimport {\n  to = rnv_service.api\n  id = "${id}"\n}\n`,
      );
      await world.terraform(...apply);
      await world.terraform(...planned);
    },
  },
];
