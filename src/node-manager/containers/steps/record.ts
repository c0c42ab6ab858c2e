// Waits until the order is durable: what runs without a record would be unknown after a restart, and what cannot be recorded is not started.
import type { StartStep } from './step.ts';

export const record: StartStep = {
  name: 'record',
  run: ({ recorded }) => recorded(),
  async undo() {},
};
