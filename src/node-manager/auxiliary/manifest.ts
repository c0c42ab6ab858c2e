// The manifest of auxiliary services: its form, and the file that may hold it (AuxServices.loadManifest).

import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { isObject } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { Failure, failure } from '../../model/errors.ts';
import type { AuxiliaryServices, ManifestRequest } from './services.ts';

/** What a manifest and its parts may say (AuxServiceRecords, AuxServiceRecord, AuxServiceConfiguration). */
const members = {
  manifest: ['services'],
  service: ['name', 'version', 'description', 'launch_time', 'configuration'],
  configuration: ['properties', 'files'],
} as const;

/** @throws Failure BAD_REQUEST */
function checked(value: unknown, kind: keyof typeof members): Record<string, unknown> {
  if (!isObject(value)) throw failure('BAD_REQUEST', { reason: `A ${kind} of auxiliary services is an object.` });
  const known: readonly string[] = members[kind];
  for (const name of Object.keys(value))
    if (!known.includes(name))
      throw failure('BAD_REQUEST', { reason: `A ${kind} of auxiliary services has no member ${name}: it may have ${known.join(', ')}.` });
  return value;
}

/** The services that a manifest names, each name once. @throws Failure BAD_REQUEST */
export function readManifest(manifest: unknown): ManifestRequest[] {
  const { services = null } = checked(manifest, 'manifest');
  if (services !== null && !Array.isArray(services)) throw failure('BAD_REQUEST', { reason: 'The services of a manifest are a list.' });
  const texts = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined);
  const requests = (services ?? []).map((given: unknown): ManifestRequest => {
    const service = checked(given, 'service');
    const configuration = checked(service['configuration'] ?? {}, 'configuration');
    const properties = isObject(configuration['properties']) ? configuration['properties'] : {};
    return { name: texts(service['name']), version: texts(service['version']), className: texts(properties['class.name']) };
  });
  const names = new Set<string | undefined>();
  return requests.filter(({ name }) => !names.has(name) && names.add(name));
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
