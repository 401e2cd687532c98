import type { PlantedBug } from "./planted-bugs";

/** Bugs planted in what keeps a state on a server, and cases of its matrix that must find them. */
export const remotePlantedBugs: readonly PlantedBug[] = [
  {
    name: "a web page counts as an answer",
    file: "state/remote-exchange.ts",
    from: 'if (status < 300 && answer.body.slice(0, 1000).trimStart().startsWith("<"))',
    to: "if (status < 0)",
    scenario: "update",
    remote: "http",
    faults: ["remote html-before held"],
  },
  {
    name: "a write does not look at what stands there",
    file: "state/http-store.ts",
    from: 'if ((await read())?.version !== expected) return { kind: "changed" };',
    to: "",
    scenario: "update",
    remote: "http-lax",
    faults: ["remote lock stolen"],
  },
  {
    name: "the lock is not proven after a write",
    file: "state/remote-session.ts",
    from: "      await this.#proveLock();\n",
    to: "",
    scenario: "create-all",
    remote: "http-lax",
    faults: ["remote lock stolen before a write"],
  },
  {
    name: "a write to S3 has no condition",
    file: "state/s3-store.ts",
    from: '{ "if-match": expected };\n      const version',
    to: "{};\n      const version",
    scenario: "update",
    remote: "s3",
    faults: ["remote lock stolen"],
  },
  {
    name: "what is to be durable is not waited for",
    file: "state/remote-session.ts",
    from: "this.#waiters.push({ resolve, reject });",
    to: "this.#waiters.push({ resolve, reject });\n      resolve();",
    scenario: "create-all",
    remote: "http",
    faults: ["remote kill"],
  },
];
