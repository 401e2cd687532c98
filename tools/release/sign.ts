import { spawnSync } from "node:child_process";

/** Numbers of the key types that the registry of Terraform takes: RSA and DSA. */
const registryAlgorithms: readonly string[] = ["1", "17"];

function gpg(...args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync("gpg", ["--batch", ...args], { encoding: "utf8" });
  if (error !== undefined) throw new Error(`gpg does not run (${error.message}); install GnuPG`);
  if (status !== 0) throw new Error(`gpg ended with ${status}:\n${stderr.trim()}`);
  return stdout;
}

/** Demands a secret key that the registry takes, before hours of building: `key` is a fingerprint, key id or address. */
export function checkSigningKey(key: string): void {
  const keys = gpg("--list-secret-keys", "--with-colons", key)
    .split("\n")
    .map((line) => line.split(":"))
    .filter(([record]) => record === "sec");
  if (keys.length !== 1)
    throw new Error(`${key} names ${keys.length} secret keys: give the fingerprint of one`);
  if (!registryAlgorithms.includes(keys[0]?.[3] ?? ""))
    throw new Error(`the key ${key} is neither RSA nor DSA, and the registry of Terraform takes no other`);
}

/** Writes the detached signature of a file beside it, `.sig`, in the binary form that registries read, and verifies it. */
export function signFile(path: string, key: string): void {
  gpg("--yes", "--local-user", key, "--output", `${path}.sig`, "--detach-sign", path);
  gpg("--verify", `${path}.sig`, path);
}
