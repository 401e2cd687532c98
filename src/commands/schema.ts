import { manifestJsonSchema } from "../manifest/manifest-schema";
import { resourceTypes } from "../resources";

/** `rnv schema`: the JSON Schema of the manifest, draft-07. */
export const schema = (): unknown => manifestJsonSchema(resourceTypes);
