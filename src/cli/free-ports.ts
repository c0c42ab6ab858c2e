// Ports for `heddle up --ports auto`: free ones, wired to each other through the settings of all roles. The data folder remembers them, so
// that a cluster that starts again answers where it did: masters and containers that outlived it find it there, and nodes keep their ids.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Configuration } from '../config/load.ts';
import { serverRpcEntries } from '../config/rpc-ports.ts';
import { commonSettings } from '../config/settings/common.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { shuffleSettings } from '../config/settings/shuffle.ts';
import { timelineSettings } from '../config/settings/timeline.ts';
import { serverAddress } from '../config/web-addresses.ts';
import { isObject } from '../lib/json-shape.ts';
import { type Random, systemRandom } from '../lib/random.ts';

const fileName = 'ports.json';

/** Below what systems give to outgoing connections: no program gets such a port by chance before its role listens, or while it is stopped. */
const lowestPort = 21_300;
const highestPort = 32_767;
const mostTries = 100;

/** Listens on a port of loopback; 0: any free one. Undefined where another socket has it. */
function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** The ports of a data folder, by name: what it had before where that is still free, else a free one. */
export class PortBook {
  readonly #path: string;
  readonly #before: Readonly<Record<string, unknown>>;
  readonly #taken: Record<string, number> = {};

  readonly #random: Random;

  constructor(dataDir: string, random: Random = systemRandom) {
    this.#random = random;
    this.#path = join(dataDir, fileName);
    this.#before = readBook(this.#path);
  }

  /** A port for each name, in their order; none is given twice. @throws Error when no port is free. */
  async take(names: readonly string[]): Promise<number[]> {
    const given = new Set(Object.values(this.#taken));
    const servers: Server[] = [];
    const hold = async (wanted: number): Promise<number | undefined> => {
      const server = await listen(wanted);
      if (server) servers.push(server);
      return server && (server.address() as { port: number }).port;
    };
    try {
      // Remembered ones first, so that no other name is given one of them by chance.
      for (const name of names) {
        const before = this.#before[name];
        if (!Number.isInteger(before) || (before as number) < 1 || (before as number) > 65_535 || given.has(before as number)) continue;
        const port = await hold(before as number);
        if (port !== undefined) this.#taken[name] = port;
      }
      for (const name of names) {
        this.#taken[name] ??= (await this.#free(given, hold)) ?? noPort();
      }
    } finally {
      for (const server of servers) server.close();
    }
    return names.map((name) => this.#taken[name]!);
  }

  /** Any free port. */
  async #free(given: ReadonlySet<number>, hold: (wanted: number) => Promise<number | undefined>): Promise<number | undefined> {
    for (let tries = 0; tries < mostTries; tries++) {
      const wanted = lowestPort + this.#random.int(highestPort - lowestPort + 1);
      const port = given.has(wanted) ? undefined : await hold(wanted);
      if (port !== undefined) return port;
    }
    return hold(0);
  }

  /** Remembers what was taken; a folder that cannot be written costs the memory alone. */
  save(): void {
    try {
      writeFileSync(`${this.#path}.new`, `${JSON.stringify({ ...this.#before, ...this.#taken }, null, 2)}\n`);
      renameSync(`${this.#path}.new`, this.#path);
    } catch {
      // The next start takes other ports.
    }
  }
}

function noPort(): never {
  throw new Error('no port of 127.0.0.1 is free');
}

function readBook(path: string): Record<string, unknown> {
  try {
    const book: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(book) ? book : {};
  } catch {
    return {};
  }
}

/** Addresses at which roles of one cluster look for each other. */
const sharedKeys = (configuration: Configuration): string[] =>
  (['resource-manager', 'timeline', 'history', 'reader'] as const).map((server) => serverAddress(configuration, server).key);

/** The first shared address with port 0, at which clients would not find the server; undefined where there is none. */
export const unknownPort = (configuration: Configuration): string | undefined =>
  sharedKeys(configuration).find((key) => configuration.get(key)?.endsWith(':0'));

/** Settings that put every role on a free port: of loopback, or of the host that an address with port 0 names. */
export async function freePortSettings(configuration: Configuration, book: PortBook): Promise<Record<string, string>> {
  const keys = [
    ...sharedKeys(configuration),
    ...serverRpcEntries.map(({ key }) => key),
    serverAddress(configuration, 'node-manager').key,
    nodeManagerSettings.address.key,
    nodeManagerSettings.localizerAddress.key,
    ...(configuration.values(commonSettings).webProxyAddress === undefined ? [] : [commonSettings.webProxyAddress.key]),
  ];
  const bare = [shuffleSettings.port.key, timelineSettings.collectorBindPortRanges.key];
  const ports = await book.take([...keys, ...bare]);
  return Object.fromEntries([
    ...keys.map((key, index) => [key, `${/^(.+):0$/.exec(configuration.get(key) ?? '')?.[1] ?? '127.0.0.1'}:${ports[index]}`]),
    ...bare.map((key, index) => [key, String(ports[keys.length + index])]),
  ]);
}
