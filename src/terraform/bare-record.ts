import type { RecordedResource } from "../model/state";

/** A record that says no more than what it is. */
export const bareRecord = (
  known: Pick<RecordedResource, "type" | "id" | "name" | "updatedAt">,
): RecordedResource => ({
  ...known,
  ...{ dependsOn: [], applied: {}, computed: {} },
  ...{ preventDestroy: false, onRemove: "delete", writes: 0 },
});
