/**
 * How far secrets are read: `resolve` needs all of them, `present` takes those whose source is here, `skip` reads no
 * source at all. What is not read is an `UnreadSecret`.
 */
export type SecretReach = "resolve" | "present" | "skip";
