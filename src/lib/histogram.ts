// How often something took how long, as Prometheus reads it (text format 0.0.4, histograms): counted where it happens, written at a scrape.

/** Upper ends of the classes where none are given. */
const usualSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10] as const;

/** Times of one kind. */
export class Histogram {
  readonly name: string;
  readonly help: string;
  readonly #upToSeconds: readonly number[];
  readonly #counts: number[];
  #sumMs = 0;

  /** `name` ends with its unit: `heddle_http_request_seconds`. `upToSeconds`: upper ends of the classes; what took longer is in the last one. */
  constructor(name: string, help: string, upToSeconds: readonly number[] = usualSeconds) {
    this.name = name;
    this.help = help;
    this.#upToSeconds = upToSeconds;
    this.#counts = new Array<number>(upToSeconds.length + 1).fill(0);
  }

  add(ms: number): void {
    const seconds = ms / 1000;
    let index = 0;
    while (index < this.#upToSeconds.length && seconds > this.#upToSeconds[index]!) index++;
    this.#counts[index]!++;
    this.#sumMs += ms;
  }

  /** Its lines. Each class has all that are below it, too. */
  text(): string {
    const { name, help } = this;
    let all = 0;
    const lines = this.#counts.map((count, index) => {
      all += count;
      return `${name}_bucket{le="${this.#upToSeconds[index] ?? '+Inf'}"} ${all}`;
    });
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} histogram`,
      ...lines,
      `${name}_sum ${this.#sumMs / 1000}`,
      `${name}_count ${all}`,
      '',
    ].join('\n');
  }
}
