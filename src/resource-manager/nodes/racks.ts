// Which rack a host is in: by the administrator's script or table (ScriptBasedMapping, TableMapping), else as the node says.
import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type { Logger } from '../../lib/log.ts';

/** `net.topology.*`. */
export interface RackSettings {
  readonly script: string | undefined;
  readonly table: string | undefined;
  /** Class of the mapping; one that ends in TableMapping reads the table. */
  readonly implementation: string | undefined;
}

const run = promisify(execFile);
const defaultRack = '/default-rack';
const scriptTimeoutMs = 30_000;

/** Racks by host, remembered until `refresh`. A script or table that fails means the default rack, and a warning. */
export class Racks {
  readonly #settings: RackSettings;
  readonly #logger: Logger;
  readonly #known = new Map<string, string>();
  #table: ReadonlyMap<string, string> | undefined;

  constructor(settings: RackSettings, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
  }

  /** The rack of a host; undefined where nothing is configured; a promise the first time a host is seen. */
  resolve(host: string): string | Promise<string> | undefined {
    const usesTable = /TableMapping$/.test(this.#settings.implementation ?? '') || !this.#settings.script;
    const path = usesTable ? this.#settings.table : this.#settings.script;
    if (!path) return undefined;
    return (
      this.#known.get(host) ??
      this.#find(host, path, usesTable).then(
        (rack) => {
          this.#known.set(host, rack);
          return rack;
        },
        (error: unknown) => {
          this.#logger.warn({ err: error, host, path }, 'the rack of a host could not be found: it counts as /default-rack');
          return defaultRack;
        },
      )
    );
  }

  /** Asks again from now on. */
  refresh(): void {
    this.#known.clear();
    this.#table = undefined;
  }

  async #find(host: string, path: string, usesTable: boolean): Promise<string> {
    // Hadoop asks by address.
    const address = isIP(host)
      ? host
      : await lookup(host).then(
          ({ address }) => address,
          () => host,
        );
    if (usesTable) {
      this.#table ??= readTable(path);
      return this.#table.get(host) ?? this.#table.get(address) ?? defaultRack;
    }
    const { stdout } = await run(path, [address], { timeout: scriptTimeoutMs, maxBuffer: 65_536 });
    const rack = stdout.trim().split(/\s+/)[0] ?? '';
    if (!rack.startsWith('/')) throw new Error(`the script answered ${JSON.stringify(rack)}, which is no rack: it must begin with /`);
    return rack;
  }
}

/** Lines of two words, a host and its rack; `#` begins a comment. */
function readTable(path: string): Map<string, string> {
  const table = new Map<string, string>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [host, rack, ...more] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (host && rack && more.length === 0) table.set(host, rack.startsWith('/') ? rack : `/${rack}`);
  }
  return table;
}
