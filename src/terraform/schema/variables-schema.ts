import * as z from "zod";
import { generatedName, variablesResource } from "../../model/terraform-names";
import { mapOf } from "../values";
import { computed, optional, required, schemaOf } from "./block";
import { generatedCheck, generatedType, revision, timeouts } from "./resource-block";

const mapOfNames = (value: z.ZodType): z.ZodType =>
  z.record(z.string(), value).refine((map) => !("" in map), "expected no variable without a name");

const texts = mapOfNames(z.string());

export const variablesSchema = schemaOf(variablesResource, {
  doc: "Several variables of one service in one map. It manages the names that it declares, after an import too, and leaves all others alone.",
  attributes: [
    required("service_id", "string", "Id of the service they belong to."),
    optional(
      "values",
      mapOf("string"),
      "Values by name. Terraform keeps them in its state; `values_wo` are kept nowhere.",
      { sensitive: true, check: texts },
    ),
    optional(
      "values_wo",
      mapOf("string"),
      "As `values`, for other names, but never stored. Sent when `values_wo_version` changes or a name is new.",
      { writeOnly: true, check: texts },
    ),
    optional("values_wo_version", "number", "Raise it to send `values_wo` again."),
    optional(
      generatedName,
      mapOf(generatedType),
      "Values by name that the provider makes up, besides the others: `{ SESSION_KEY = { length = 32 } }`. Each is made once and stored " +
        "nowhere else. Another `length` makes a new value, `-replace` of this resource makes all of them new. Values that are imported, or changed outside, stay.",
      { check: mapOfNames(generatedCheck) },
    ),
    computed("id", "string", "Id of the service."),
    computed("ids", mapOf("string"), "Ids of the variables by name."),
    computed("updated_at", mapOf("string"), "When each of them last changed, ISO 8601."),
    revision,
  ],
  groups: [timeouts],
});
