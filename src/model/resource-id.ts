/** A UUID, in any case of letters. */
export const uuidPattern = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** Returns an id as the service writes it: a UUID in lower case. */
export const canonicalId = (id: string): string => (uuidPattern.test(id) ? id.toLowerCase() : id);

/** The beginning of an ID, after an address or its kind: `deployment 3fe7190e`. */
export const shortId = (id: string): string => id.slice(0, 8);
