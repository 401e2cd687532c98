import type { Construct } from "constructs";
import { capitalized } from "../model/wording";
import { deployment } from "../resources/deployment";
import { layout } from "../resources/layout";
import { project } from "../resources/project";
import { service } from "../resources/service";
import { variable } from "../resources/variable";
import type { FieldOwner, GivenProps } from "./construct-fields";
import type { VariableValue } from "./constructs";
import { dataSources } from "./data-constructs";
import { defineProvider } from "./define-provider";
import { defineResource, type ResourceClass, type RnvResource } from "./define-resource";
import { defineVariables } from "./define-variables";
import type { Library } from "./host-library";
import { constructOfId, typeOfConstruct } from "./parents";

/** The constructs of rnv on cdktf or on cdktn. Both synthesize the same JSON; the build writes the types of their library. */
export function defineConstructs(library: Library): Readonly<Record<string, object>> {
  const Variable = defineResource(library, variable);
  const Deployment = defineDeployment(library);
  const CanvasLayout = defineResource(library, layout);
  const Variables = defineVariables(library);
  const Service = defineService(library, { Variable, Variables, Deployment });
  const Project = defineProject(library, Service, CanvasLayout);
  const resources = { Project, Service, Variable, Variables, Deployment, CanvasLayout };
  return { RnvProvider: defineProvider(library), ...resources, ...dataSources(library) };
}

/**
 * A class with `triggers`. rnv sees the changes that they stand for by itself, and ignores them because the comment says
 * that they are derived.
 */
const defineTriggered = (
  Base: ResourceClass,
  triggersOf: (construct: RnvResource) => Readonly<Record<string, string>>,
): ResourceClass =>
  class Triggered extends Base {
    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, { ...props, derived: true });
    }

    override synthesizeAttributes(): Record<string, unknown> {
      const [attributes, triggers] = [super.synthesizeAttributes(), triggersOf(this)];
      return Object.keys(triggers).length > 0 ? { ...attributes, triggers } : attributes;
    }
  };

/**
 * A deployment, triggered by the revisions of its service and variables. `isImplied`: its service brings it. The
 * deployment of an archived service is held: a restored service is deployed only if something changed.
 */
function defineDeployment(library: Library): ResourceClass {
  const serviceOf = (one: FieldOwner) => constructOfId(one, one.givenField("service_id"));
  const Triggered = defineTriggered(defineResource(library, deployment), (one) => {
    const config = serviceOf(one)?.getStringAttribute("revision");
    const revisions = attributeOf(library, one, "revision");
    return config === undefined ? revisions : { config, ...revisions };
  });
  return class Deployment extends Triggered {
    readonly #isImplied: boolean;

    constructor(scope: Construct, id: string, { isImplied, ...props }: GivenProps = {}) {
      super(scope, id, props);
      this.#isImplied = isImplied === true;
    }

    get #isHeld(): boolean {
      return this.givenField("when") === "never" || serviceOf(this)?.givenField("archived") === true;
    }

    /** Leaves out an implied deployment: beside a sibling, or if held for a service with several instances. */
    get #isLeftOut(): boolean {
      const { count, forEach } = serviceOf(this) ?? {};
      const isForNone = this.#isHeld && (count ?? forEach) !== undefined;
      return this.#isImplied && (isForNone || this.siblings().length > 0);
    }

    override synthesizeAttributes(): Record<string, unknown> {
      const held = this.#isHeld ? { when: "never", commit: undefined } : {};
      return { ...super.synthesizeAttributes(), ...held };
    }

    override ownNames(): readonly string[] {
      return this.#isLeftOut ? [] : super.ownNames();
    }

    override toTerraform(): object {
      return this.#isLeftOut ? {} : super.toTerraform();
    }
  };
}

type PartsOfService = Readonly<Record<"Variable" | "Variables" | "Deployment", ResourceClass>>;

const defineService = (
  library: Library,
  { Variable, Variables, Deployment }: PartsOfService,
): ResourceClass =>
  class Service extends defineResource(library, service) {
    constructor(scope: Construct, id: string, { deploy, ...props }: GivenProps = {}) {
      super(scope, id, props);
      this.#deploy({ ...(deploy as GivenProps | undefined), isImplied: true });
    }

    #deploy(props: GivenProps): unknown {
      return new Deployment(this, deployment.manifest.key, { ...props, service: this });
    }

    addVariable(key: string, value: VariableValue): unknown {
      const isPreserved = typeof value === "object" && value !== null && "preserve" in value;
      const props = isPreserved ? value : { value };
      return new Variable(this, key, { service: this, ...props });
    }

    addVariables(values: GivenProps): unknown {
      return new Variables(this, variable.manifest.key, { service: this, values });
    }

    deployOnChange(props: GivenProps = {}): unknown {
      this.node.tryRemoveChild(deployment.manifest.key);
      return this.#deploy(props);
    }
  };

function defineProject(library: Library, Service: ResourceClass, CanvasLayout: ResourceClass): ResourceClass {
  // It gives every service a position: Terraform has to be told when a service is added.
  const LayoutOfAll = defineTriggered(CanvasLayout, (one) => attributeOf(library, one, "id"));
  return class Project extends defineResource(library, project) {
    addService(id: string, props: GivenProps): unknown {
      return new Service(this, id, { ...props, project: this });
    }

    addLayout({ positions = "auto", ...props }: GivenProps = {}): unknown {
      const Layout = positions === "auto" ? LayoutOfAll : CanvasLayout;
      return new Layout(this, layout.manifest.key, { ...props, positions, project: this });
    }
  };
}

/** An attribute of each construct that `user` follows, by a name that is its own in its parent and stays where it moves. */
const attributeOf = ({ Token }: Library, user: RnvResource, attribute: string): Record<string, string> =>
  Object.fromEntries(
    user.followed().map((construct) => {
      refuseInstances(construct as RnvResource, user);
      const names = [...(construct as RnvResource).ownNames()].sort();
      const name = names.find((one) => !Token.isUnresolved(one)) ?? construct.friendlyUniqueId;
      const key = `${typeOfConstruct(construct)?.type} ${name}`;
      return [key, construct.getStringAttribute(attribute)];
    }),
  );

function refuseInstances(construct: RnvResource, user: RnvResource): void {
  const { node, count, forEach } = construct;
  if (count === undefined && forEach === undefined) return;
  const { type = "", parents: [parent] = [] } = typeOfConstruct(construct) ?? {};
  const add = `${parent?.type}.add${capitalized(type)}(key, value)`;
  throw new Error(
    `${node.path} has ${count === undefined ? "forEach" : "count"}, and ${user.node.path} is triggered by one instance. ` +
      `Write a loop in the program: for (const [key, value] of Object.entries(values)) ${add}`,
  );
}
