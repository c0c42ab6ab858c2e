// The manifest of auxiliary services: its form, and the file that may hold it (AuxServices.loadManifest).

import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { isObject } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { Failure } from '../../model/errors.ts';
import type { AuxiliaryServices, ManifestRequest } from './services.ts';

/** The services that a manifest names. */
export function readManifest(manifest: unknown): ManifestRequest[] {
  const services = isObject(manifest) && Array.isArray(manifest['services']) ? manifest['services'] : [];
  const texts = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined);
  return services.filter(isObject).map((service) => {
    const configuration = isObject(service['configuration']) ? service['configuration'] : {};
    const properties = isObject(configuration['properties']) ? configuration['properties'] : {};
    return { name: texts(service['name']), version: texts(service['version']), className: texts(properties['class.name']) };
  });
}

/** What following a manifest file needs. */
export interface ManifestFileOptions {
  readonly path: string;
  /** Time between looks for a change; 0: it is read at the start only. */
  readonly reloadMs: number;
  readonly services: AuxiliaryServices;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Loads the services of the file, now and whenever it changes. A file that is missing or wrong is logged and changes nothing. */
export async function followManifest(options: ManifestFileOptions): Promise<Repetition> {
  const { path, reloadMs, services, clock, logger } = options;
  let seen: string | undefined;
  let isFirst = true;
  const look = async (): Promise<void> => {
    try {
      const facts = await stat(path);
      const version = `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
      if (version === seen) return;
      seen = version;
      // A user who may write the manifest says what runs on the node.
      for (const place of [path, dirname(path)])
        if (((await stat(place)).mode & 0o022) !== 0) throw new Error(`${place} must not be writable by its group or others`);
      services.loadManifest(readManifest(JSON.parse(await readFile(path, 'utf8'))));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const reason = error instanceof Failure || error instanceof Error ? error.message : String(error);
      if (code === 'ENOENT' && seen === undefined && !isFirst) return;
      logger.warn({ path, reason }, 'the manifest of auxiliary services cannot be used');
    }
  };
  await look();
  isFirst = false;
  if (reloadMs <= 0) return { close: () => Promise.resolve() };
  return repeat({
    clock,
    intervalMs: reloadMs,
    run: look,
    failed: (error) => logger.warn({ path, err: error }, 'the manifest of auxiliary services cannot be used'),
  });
}
