// A job's settings as a task reads them: Hadoop names, `${…}` expansion, typed readers.

const maximumExpansions = 20;

/** Thrown when a setting is not of its type; names the setting. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
}

/** Settings of one job; values are as submitted, readers expand `${name}`. */
export class JobConfiguration {
  readonly #values: Map<string, string>;

  constructor(values: Iterable<readonly [string, string]> | Readonly<Record<string, string>>) {
    this.#values = new Map(Symbol.iterator in values ? values : Object.entries(values));
  }

  raw(name: string): string | undefined {
    return this.#values.get(name);
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  /** The value with `${name}` and `${env.NAME:-default}` replaced; what cannot be resolved stays as written. */
  get(name: string): string | undefined {
    const raw = this.#values.get(name);
    return raw === undefined ? undefined : this.expand(raw);
  }

  /** Expands references inside a text. */
  expand(text: string): string {
    for (let round = 0; round < maximumExpansions && text.includes('${'); round++) {
      const next = text.replace(/\$\{([^}$\s]+)\}/g, (whole, reference: string) => this.#resolve(reference) ?? whole);
      if (next === text) break;
      text = next;
    }
    return text;
  }

  #resolve(reference: string): string | undefined {
    if (!reference.startsWith('env.')) return this.#values.get(reference);
    const [, name, otherwise] = /^env\.([^:-]+)(?::?-(.*))?$/.exec(reference) ?? [];
    return name === undefined ? undefined : (process.env[name] ?? otherwise);
  }

  text(name: string, otherwise: string): string {
    return this.get(name) ?? otherwise;
  }

  /** A number; blank or absent = `otherwise`. @throws BadSetting */
  number(name: string, otherwise: number): number {
    const text = this.get(name)?.trim();
    if (text === undefined || text === '') return otherwise;
    const value = /^[-+]?0x/i.test(text) ? Number.parseInt(text, 16) : Number(text.replace(/[fFdDlL]$/, ''));
    if (!Number.isFinite(value)) throw new BadSetting(`${name}: '${text}' is not a number`);
    return value;
  }

  /** A whole number; blank or absent = `otherwise`. @throws BadSetting */
  integer(name: string, otherwise: number): number {
    const value = this.number(name, otherwise);
    if (!Number.isInteger(value)) throw new BadSetting(`${name}: '${this.get(name)}' is not a whole number`);
    return value;
  }

  /** A size with an optional binary suffix (`128m`). @throws BadSetting */
  bytes(name: string, otherwise: number): number {
    const text = this.get(name)?.trim();
    const [, digits, unit] = /^(\d+)([kmgtpe])b?$/i.exec(text ?? '') ?? [];
    return digits === undefined ? this.number(name, otherwise) : Number(digits) * 1024 ** ('kmgtpe'.indexOf(unit!.toLowerCase()) + 1);
  }

  /** `true` or `false`, anything else = `otherwise`, as Hadoop's Configuration.getBoolean. */
  boolean(name: string, otherwise: boolean): boolean {
    const text = this.get(name)?.trim().toLowerCase();
    return text === 'true' ? true : text === 'false' ? false : otherwise;
  }

  list(name: string): string[] {
    return (this.get(name) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  }
}
