// How often lists ask the scheduler anew why an application waits.
import type { Application } from '../applications/application.ts';

/** What the scheduler says of a waiting application may be that old in lists. */
const explanationAgeMs = 250;

/** When each waiting application was last explained for a list. */
export class Explained {
  readonly #atMs = new WeakMap<Application, number>();

  /** Whether it is time again; then it counts as done now. */
  isOld(application: Application, nowMs: number): boolean {
    if (nowMs - (this.#atMs.get(application) ?? 0) < explanationAgeMs) return false;
    this.#atMs.set(application, nowMs);
    return true;
  }
}
