/**
 * How the embedded service behaves where the interface leaves it open, or while something is wrong with it. Chosen at
 * its start (`rnv emulator --with NAME`) and switched while it runs (`EmulatorStore.setCondition`).
 */
export const conditions = {
  "hosting-off": "hosting is disabled: nothing is deployed, restarted, suspended or resumed",
  "worker-offline": "no worker is online: deployments stay queued",
  "queued-deletions": "every deletion is queued, also of projects, of variables and of what never ran",
  "failed-deletions": "every deletion is queued, and its operation fails",
  "failed-deletions-archive": "a service whose deletion failed stays archived",
  "failed-deletions-linger":
    "a service whose deletion failed stays archived and looks as if it were being deleted",
  "unique-names": "a service takes its name in its project, also while it is archived",
  "plain-names": "names of projects and services are kept trimmed and in lower case",
  "ignored-values": "a PATCH is answered as if it were done, and changes nothing",
  "coarse-times": "times of variables are whole seconds: two writes in one second bear the same",
  "untimed-answers": "the answer to a write of a variable bears no times; its list does",
} as const;

export type Condition = keyof typeof conditions;

export const conditionNames = Object.keys(conditions) as readonly Condition[];
