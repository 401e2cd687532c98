/** The fingerprints of one secret: of the declared value, and those that the same value may have been recorded with. */
export interface SecretPrints {
  readonly now: string | undefined;
  /** Under its recorded address; with the key of now and with the one before it. */
  readonly asRecorded: readonly string[];
}

/** A live secret that was revealed, as fingerprints: its text stays with whoever asked for it. */
export interface Revealed {
  /** Of what was revealed; of something else, or after a change of it, they say nothing. */
  readonly id: string;
  readonly updatedAt?: string;
  readonly prints: Readonly<Record<string, SecretPrints>>;
}
