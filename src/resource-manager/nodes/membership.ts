// Which nodes may join: the include and exclude files (`yarn.resourcemanager.nodes.{include,exclude}-path`), one host, or
// host:port, a line or separated by blanks.
import { readFileSync } from 'node:fs';

/** The lists as they were last read. */
export class Membership {
  readonly #includePath: string | undefined;
  readonly #excludePath: string | undefined;
  #included = new Set<string>();
  #excluded = new Set<string>();

  constructor(includePath: string | undefined, excludePath: string | undefined) {
    this.#includePath = includePath || undefined;
    this.#excludePath = excludePath || undefined;
    this.refresh();
  }

  /** Reads the files again; an absent file is an empty list. */
  refresh(): void {
    this.#included = readHosts(this.#includePath);
    this.#excluded = readHosts(this.#excludePath);
  }

  /** Whether a node may be part of the cluster. */
  admits(host: string, nodeId: string): boolean {
    if (this.#excluded.has(host) || this.#excluded.has(nodeId)) return false;
    return this.#included.size === 0 || this.#included.has(host) || this.#included.has(nodeId);
  }
}

function readHosts(path: string | undefined): Set<string> {
  if (path === undefined) return new Set();
  try {
    return new Set(
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line) => line.replace(/#.*/, ''))
        .flatMap((line) => line.split(/\s+/))
        .filter((word) => word !== ''),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set();
    throw error;
  }
}
