// Brings the container's local resources here. A name `*` or `folder/*` links all files of the resource's folder (Hadoop's wildcards).
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkInside } from '../../folders.ts';
import { LocalizationFailure } from '../../localization/errors.ts';
import type { StartStep } from './step.ts';

export const localize: StartStep = {
  name: 'localize',
  async run({ container, cache, links, localized }) {
    const entries = Object.entries(container.order.launch.localResources);
    if (entries.length === 0) return;
    for (const [name] of entries) checkedName(name);
    const { containerId, applicationId, user, launch } = container.order;
    const owner = { containerId, applicationId, user, tokens: launch.tokens };
    const paths = await localized.during(() =>
      Promise.all(entries.map(([, resource]) => cache.acquire(resource, owner, container.ending.signal, localized))),
    );
    for (const [index, [name]] of entries.entries()) for (const [link, path] of await linksOf(name, paths[index]!)) links.set(link, path);
  },
  async undo({ container, cache }) {
    cache.release(container.id);
  },
};

/** A name of a link that stays in its container's folder. @throws LocalizationFailure */
export function checkedName(name: string): void {
  try {
    checkInside(name, 'local resource');
  } catch (error) {
    throw new LocalizationFailure(error instanceof Error ? error.message : String(error), 'java.lang.IllegalArgumentException');
  }
}

/** The links, name and path, of a resource that lies at `path`. */
export async function linksOf(name: string, path: string): Promise<(readonly [string, string])[]> {
  if (name !== '*' && !name.endsWith('/*')) return [[name, path]];
  return (await readdir(path)).map((file) => [`${name.slice(0, -1)}${file}`, join(path, file)] as const);
}
