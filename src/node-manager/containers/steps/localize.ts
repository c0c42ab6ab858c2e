// Brings the container's local resources here. A name `*` or `folder/*` links all files of the resource's folder (Hadoop's wildcards).
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkInside } from '../../folders.ts';
import { LocalizationFailure } from '../../localization/errors.ts';
import type { StartStep } from './step.ts';

export const localize: StartStep = {
  name: 'localize',
  async run({ container, cache, links }) {
    const entries = Object.entries(container.order.launch.localResources);
    if (entries.length === 0) return;
    for (const [name] of entries) {
      try {
        checkInside(name, 'local resource');
      } catch (error) {
        throw new LocalizationFailure(error instanceof Error ? error.message : String(error), 'java.lang.IllegalArgumentException');
      }
    }
    const { containerId, applicationId, user, launch } = container.order;
    const owner = { containerId, applicationId, user, tokens: launch.tokens };
    const paths = await Promise.all(entries.map(([, resource]) => cache.acquire(resource, owner, container.ending.signal)));
    for (const [index, [name]] of entries.entries()) {
      const path = paths[index]!;
      if (name !== '*' && !name.endsWith('/*')) {
        links.set(name, path);
        continue;
      }
      for (const file of await readdir(path)) links.set(`${name.slice(0, -1)}${file}`, join(path, file));
    }
  },
  async undo({ container, cache }) {
    cache.release(container.id);
  },
};
