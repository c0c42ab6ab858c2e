// One number for Prometheus, as every part of a server gives it.

/** One number at the moment of the scrape; names by Prometheus's rules, units at the end. */
export interface Sample {
  readonly name: string;
  readonly help: string;
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}
