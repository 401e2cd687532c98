import type { Desired } from "../model/desired";
import { Secret } from "../model/secret";
import { Template, UnreadSecret } from "../model/value";

/** The values and parts of values of a manifest that are known before anything is applied, and never shown. */
export function declaredSecrets({ resources }: Desired): readonly Secret[] {
  const secrets: Secret[] = [];
  for (const { attributes } of resources.values())
    for (const { value } of attributes.values())
      if (value instanceof Secret) secrets.push(value);
      else if (value instanceof UnreadSecret) secrets.push(...value.atHand);
      else if (value instanceof Template && value.secret)
        for (const part of value.parts) if (part instanceof Secret) secrets.push(part);
  return secrets;
}

/** Whether a manifest gives a value of a secret that is compared by its fingerprint. */
export function declaresSecrets({ resources }: Desired): boolean {
  for (const { attributes } of resources.values())
    for (const { value } of attributes.values())
      if (value instanceof Secret || (value instanceof Template && value.secret)) return true;
  return false;
}
