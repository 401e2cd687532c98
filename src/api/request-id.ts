const ALPHABET = "0123456789abcdefghijklmnopqrstuv";

/** `rnv-` and 20 random characters; with an attempt's number it stays within the 64 that `X-Request-ID` allows. */
export function newRequestId(random: () => number): string {
  let text = "rnv-";
  for (let i = 0; i < 20; i += 1) text += ALPHABET[Math.floor(random() * ALPHABET.length)] ?? "0";
  return text;
}

/** What a client has learned of the request ids in answers. */
export interface EchoSeen {
  /** One came back as it was sent: nothing on the way replaces them. */
  isFaithful: boolean;
}

const ours = /^rnv-[0-9a-v]{20}\.\d+$/;

/**
 * Why an answer is one to another request, by the `X-Request-ID` that it bears (interface, "Header and parameter
 * rules"); undefined where it may be ours. A gateway may replace the ids of all requests, so another id counts only
 * where ids came back as sent before, or where it is that of another request of ours. A refusal may be the gateway's
 * own. A retained answer may bear the id of its first request.
 */
export function otherRequest(
  { requestId, replayed }: { readonly requestId?: string; readonly replayed?: boolean },
  sent: string,
  isSuccess: boolean,
  echo: EchoSeen,
): string | undefined {
  if (requestId === undefined) return undefined;
  if (baseOf(requestId) === baseOf(sent)) {
    echo.isFaithful = true;
    return undefined;
  }
  if (replayed === true || !(ours.test(requestId) || (isSuccess && echo.isFaithful))) return undefined;
  return `the answer is one to another request: its X-Request-ID is not ${sent}`;
}

/** Without the number of the attempt. */
const baseOf = (id: string): string => id.slice(0, id.lastIndexOf("."));
