// Tells a user who follows a waiting application why it waits, each reason once.
import type { ApplicationExplanation } from '../wire/cluster/explanation.ts';

const patienceMs = 3000;

/** Asks now and then why an application waits, and says it when the reason is a new one. */
export class WaitTeller {
  readonly #explain: () => Promise<ApplicationExplanation>;
  readonly #say: (text: string) => void;
  readonly #nowMs: () => number;
  #nextMs: number;
  #told = '';

  constructor(explain: () => Promise<ApplicationExplanation>, say: (text: string) => void, nowMs: () => number = () => performance.now()) {
    this.#explain = explain;
    this.#say = say;
    this.#nowMs = nowMs;
    this.#nextMs = nowMs() + patienceMs;
  }

  /** To be called while it waits; short waits are not worth a word. */
  async look(): Promise<void> {
    if (this.#nowMs() < this.#nextMs) return;
    this.#nextMs = this.#nowMs() + patienceMs;
    const found = await this.#explain().catch(() => undefined);
    if (!found?.waiting || !found.sentence) return;
    const rule = found.requests?.[0]?.reasons?.[0]?.rule ?? found.sentence;
    if (rule === this.#told) return;
    this.#told = rule;
    this.#say(`${found.sentence}${found.remedy ? `\n  ${found.remedy}` : ''}`);
  }
}
