// Gives the container the devices that it was placed for.
import { gpuResource } from '../../../config/engine-rules.ts';
import type { StartStep } from './step.ts';

export const assignDevices: StartStep = {
  name: 'assign-devices',
  async run({ container, node }) {
    await node.gpus?.acquire(container.id, container.order.resource[gpuResource] ?? 0, container.ending.signal);
  },
  async undo({ container, node }) {
    node.gpus?.release(container.id);
  },
};
