import * as z from "zod";
import { collectFindings } from "../../declaration/findings";
import { judgeDocument } from "../../declaration/schema-issues";
import { addressHoldsSecret } from "../../declaration/secret-texts";
import type { Trust } from "../../declaration/trust";
import { DiagnosticsError, hasErrors } from "../../diagnostics/diagnostic";
import { uuidPattern } from "../../model/resource-id";
import { durationPattern } from "../../model/time";
import { readDocument } from "./yaml-document";

export const fleetFileName = "rnv.fleet.yaml";

const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable");

const isInside = (path: string): boolean =>
  !path.startsWith("/") && !/^[A-Za-z]:/.test(path) && !path.split(/[\\/]/).includes("..");

const memberSchema = z.strictObject({
  dir: z
    .string()
    .min(1, "expected a path")
    .refine(isInside, "expected a folder below that of the fleet file")
    .optional()
    .describe("Folder of the manifest, from that of this file; the name of the member unless said."),
  stages: z
    .array(z.string())
    .min(1)
    .refine((names) => new Set(names).size === names.length, "a stage is named twice")
    .optional()
    .describe(
      "Its stages, each a run of its own; all that the manifest declares and that stand once, unless said.",
    ),
  env: z
    .record(variableName, variableName)
    .optional()
    .describe(
      "`RNV_API_KEY: SHOP_API_KEY`: its run is given RNV_API_KEY with the value of SHOP_API_KEY. No other run is given that.",
    ),
  workspace: z.string().regex(uuidPattern, "expected a UUID").optional().describe("UUID of its workspace."),
  state: z
    .string()
    .min(1)
    .refine(
      (address) => !addressHoldsSecret(address),
      "it holds a secret, and is read by everybody who reads this file: name it in env, as RNV_STATE_HTTP_PASSWORD or AWS_SECRET_ACCESS_KEY",
    )
    .optional()
    .describe(
      "Where its state is: a path, https://… or s3://…; ${member} is its name. RNV_STATE unless said.",
    ),
  timeout: z
    .string()
    .regex(durationPattern, "expected a duration: 90s, 10m")
    .optional()
    .describe("How long its run may take; --member-timeout unless said."),
});

export const fleetFileSchema = z.strictObject({
  version: z.literal(1).optional(),
  members: z
    .record(z.string().regex(/^[^@\s][^@]*$/, "expected a name without @"), memberSchema.nullable())
    .describe("Manifests by name: `shop`, `teams/shop`."),
});

/** The schema of an untrusted fleet file: it must not send the key of a member to a server of its choice. */
function untrustedSchema(trust: Trust): z.ZodType {
  const listed = z.string().refine(trust.mayRead, {
    error: ({ input }) =>
      `an untrusted fleet file reads ${input} of the environment: list it in RNV_ALLOW_ENV if its value may be seen`,
  });
  const state = z
    .custom(
      () => false,
      "an untrusted fleet file names a state: set RNV_STATE in the job, which may hold ${member}",
    )
    .optional();
  const member = z.looseObject({ env: z.record(z.string(), listed).optional(), state });
  return z.looseObject({ members: z.record(z.string(), member.nullable()) });
}

export type DeclaredMember = { readonly name: string } & z.infer<typeof memberSchema>;

/**
 * Reads the members of a fleet file. Throws `DiagnosticsError` after a mistake in it; with exit code 4 where an
 * untrusted file is refused.
 */
export function readFleetFile(file: string, cwd: string, trust: Trust): readonly DeclaredMember[] {
  const findings = collectFindings();
  const read = readDocument(fleetFileSchema, file, cwd, findings.report);
  if (read !== undefined && trust.isUntrusted)
    judgeDocument(untrustedSchema(trust), read.root, findings.report, {
      nameOf: (path) => path.join("."),
      code: "guard.untrusted",
    });
  const diagnostics = findings.all();
  if (read === undefined || hasErrors(diagnostics)) throw new DiagnosticsError(diagnostics);
  return Object.entries(read.document.members).map(([name, member]) => ({ ...member, name }));
}
