import { ApiError, isNoRoute } from "./api-error";
import type { Endpoints } from "./endpoints";
import type { Variable } from "./wire/shapes";

/** Lists variables of services. A service without a route for that refuses once: the others wait for the first answer. */
export class VariableLists {
  /** The failure that shows that there is no route. */
  refusal: unknown;
  #hasRoute = false;
  /** The refusal of the request that was sent ahead. */
  #ahead: Promise<unknown> | undefined;
  /** Ends with the answer to the only request in flight. */
  #proof: Promise<unknown> | undefined;

  constructor(private readonly list: Endpoints["listVariables"]) {}

  /** Sends the request beside those that show if the service exists: a 404 proves nothing. */
  askAhead(serviceId: string): Promise<readonly Variable[]> {
    if (this.#ahead === undefined) {
      const asked = this.list(serviceId);
      this.#ahead = this.#prove(asked, async () => false);
      return asked;
    }
    return this.#ahead.then((refusal) => {
      if (refusal !== undefined) throw refusal;
      return this.list(serviceId);
    });
  }

  /** Sends the request. A 404 shows that there is no route if the service exists. */
  async ask(serviceId: string, exists: () => Promise<boolean>): Promise<readonly Variable[]> {
    while (this.#proof !== undefined) await this.#proof;
    if (this.refusal !== undefined) throw this.refusal;
    const asked = this.list(serviceId);
    if (!this.#hasRoute)
      this.#proof = this.#prove(asked, exists).finally(() => {
        this.#proof = undefined;
      });
    return asked;
  }

  /** Returns the failure that says that there is no route or no service; undefined after any other answer. */
  async #prove(asked: Promise<unknown>, exists: () => Promise<boolean>): Promise<unknown> {
    const failure = await asked.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const isAbsent = failure instanceof ApiError && failure.status === 404;
    if (isNoRoute(failure) || (isAbsent && (await exists()))) this.refusal = failure;
    else if (!isAbsent) this.#hasRoute = true;
    return isNoRoute(failure) || isAbsent ? failure : undefined;
  }
}
