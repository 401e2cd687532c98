import { consistently } from "../../src/api/consistent-reads";
import type { Endpoints } from "../../src/api/endpoints";
import { createReads, type Reads } from "../../src/api/reads";

/** Returns reads over endpoints that send by themselves. */
export const plainReads = (endpoints: Endpoints, beside?: Reads): Reads =>
  createReads(
    consistently(() => endpoints)(() => Promise.reject(new Error("not sent"))),
    beside,
  );
