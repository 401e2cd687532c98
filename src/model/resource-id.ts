/** A UUID, in any case of letters. */
export const uuidPattern = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** Returns an id as the service writes it: a UUID in lower case. */
export const canonicalId = (id: string): string => (uuidPattern.test(id) ? id.toLowerCase() : id);
