// Caches of local files, and sources to fill them from, for the tests of localization.
import { chmodSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { type Clock, ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import { NodeFolders } from '../folders.ts';
import { LocalCache, type LocalizedRecord } from '../localization/cache.ts';
import type { FetchSources } from '../localization/fetch-options.ts';
import type { LocalizationLimits } from '../localization/limits.ts';

/** A folder of the test file's own, gone after it. */
export const root = realpathSync(mkdtempSync(join(tmpdir(), 'cache-')));
after(() => rmSync(root, { recursive: true, force: true }));
chmodSync(root, 0o755);

/** The container `number` of one application. */
export const owner = (number = 1, user = 'ada') => ({
  containerId: `container_1_0001_01_00000${number}`,
  applicationId: 'application_1_0001',
  user,
});
/** A signal that never comes. */
export const never: AbortSignal = new AbortController().signal;
let count = 0;

/** A cache in a folder of its own; `again` makes its successor. */
export function makeCache(
  options: {
    targetBytes?: number;
    limits?: Partial<LocalizationLimits>;
    concurrentFetches?: number;
    clock?: Clock;
    sources?: FetchSources;
    folders?: (home: string) => NodeFolders;
  } = {},
) {
  const folder = join(root, `node-${++count}`);
  const records = new Map<number, LocalizedRecord>();
  const store = {
    saveLocalized: (record: LocalizedRecord) => void records.set(record.id, record),
    removeLocalized: (id: number) => void records.delete(id),
  };
  const clock = options.clock ?? new ManualClock();
  const make = (boot = 'this boot') =>
    new LocalCache(
      {
        folders: options.folders?.(folder) ?? new NodeFolders([join(folder, 'local')], [join(folder, 'logs')], folder),
        store,
        clock,
        logger: silentLogger,
        targetBytes: options.targetBytes ?? 1e9,
        limits: { maximumBytes: 1e9, maximumEntries: 1000, maximumRatio: 200, stallMs: 60_000, totalMs: 600_000, ...options.limits },
        concurrentFetches: options.concurrentFetches ?? 2,
        sources: options.sources ?? { property: () => undefined },
        boot,
      },
      [...records.values()],
    );
  return { cache: make(), again: make, records, folder, clock };
}

/** A file of this machine as a resource. */
export function source(name: string, content: string | Buffer): LocalResource {
  const path = join(root, name);
  writeFileSync(path, content);
  chmodSync(path, 0o644);
  return {
    resource: `file://${path}`,
    type: 'FILE',
    visibility: 'APPLICATION',
    size: content.length,
    timestamp: Math.floor(statSync(path).mtimeMs),
  };
}

/** An HTTP server of the test; closed with all its connections. */
export async function serve(handle: RequestListener): Promise<AsyncDisposable & { readonly host: string }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A zip archive of deflated files. */
export function zip(files: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = deflateRawSync(content);
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(8, 4);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(data.length, 14);
    header.writeUInt32LE(content.length, 18);
    header.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), header, Buffer.from(name), data]);
    const attributes = Buffer.alloc(16);
    attributes.writeUInt32LE(offset, 12);
    const central = Buffer.alloc(46 - 6 - 16 - 4);
    header.copy(central, 0, 0, 20);
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02\x14\x00'),
        header.subarray(0, 24),
        Buffer.alloc(2),
        attributes.subarray(2),
        Buffer.from(name),
      ]),
    );
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\x05\x06'), end]);
}
