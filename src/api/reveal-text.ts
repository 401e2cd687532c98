import { openSecret } from "../model/open-secret";
import type { Secret } from "../model/secret";

/**
 * The text of a revealed variable (interface, "Variables"), for an ephemeral value of Terraform: the caller hands it
 * on and keeps no copy.
 */
export const revealText = (revealed: Secret): string => openSecret(revealed);
