import { parseJson, type Transport, type WireResponse } from "../../api/transport";

/**
 * Returns a function that opens the transport of a member over one that all members of this process share: what one has
 * read, the others are answered with. A member that asks for the same a second time wants what is new, and gets that.
 * The JSON of an answer is parsed once. Every member masks secrets in it by itself, as it does when it runs alone.
 */
export function shareAnswers(): (open: () => Transport) => Transport {
  const answers = new Map<string, Promise<WireResponse>>();
  let shared: Transport | undefined;
  return (open) => {
    shared ??= open();
    const transport = shared;
    const asked = new Set<string>();
    const read = (request: Parameters<Transport["send"]>[0]): Promise<WireResponse> => {
      const answer = transport.send(request).then(withJson);
      answers.set(request.url, answer);
      const forget = (): void => {
        if (answers.get(request.url) === answer) answers.delete(request.url);
      };
      // Only a whole answer is one for others, too.
      answer.then(({ status }) => (status === 200 ? undefined : forget()), forget);
      return answer;
    };
    return {
      send: (request) => {
        if (request.method !== "GET") return transport.send(request);
        const known = asked.has(request.url) ? undefined : answers.get(request.url);
        asked.add(request.url);
        return known ?? read(request);
      },
      close: async () => {},
    };
  };
}

const withJson = (answer: WireResponse): WireResponse => ({ ...answer, json: parseJson(answer.body) });
