// Which nodes may join: the include and exclude files (`yarn.resourcemanager.nodes.{include,exclude}-path`), one host, or host:port, a
// line or separated by blanks; or, in a file named *.xml, `<host><name>…</name><timeout>seconds</timeout></host>` (HostsFileReader).
// Beside them stand nodes that are on their way out: drained by hand, or within the time that they were given to leave.
import { readFileSync } from 'node:fs';

/** Host or host:port → seconds that it may take to leave; undefined: what the request or the settings say. */
type Hosts = ReadonlyMap<string, number | undefined>;

/** A node on its way out, as the next process must know it. */
export interface LeavingNode {
  readonly nodeId: string;
  /** `host:port` of its web address. */
  readonly httpAddress: string;
  /** Drained by an administrator: it stays away until it is resumed. Else a list keeps it out. */
  readonly byHand: boolean;
  /** Until when it may finish what runs on it, ms since the epoch; null: no end. */
  readonly untilMs: number | null;
}

/** The lists as they were last read. */
export class Membership {
  readonly #includePath: string | undefined;
  readonly #excludePath: string | undefined;
  #included: Hosts = new Map();
  #excluded: Hosts = new Map();
  readonly #leaving: Map<string, LeavingNode>;

  constructor(includePath: string | undefined, excludePath: string | undefined, leaving: readonly LeavingNode[] = []) {
    this.#includePath = includePath || undefined;
    this.#excludePath = excludePath || undefined;
    this.#leaving = new Map(leaving.map((node) => [node.nodeId, node]));
    this.refresh();
  }

  /** Reads the files again; an absent file is an empty list. @throws when a file cannot be read; then the lists stay as they were. */
  refresh(): void {
    const included = readHosts(this.#includePath);
    this.#excluded = readHosts(this.#excludePath);
    this.#included = included;
  }

  /** Whether a node may be part of the cluster. */
  admits(host: string, nodeId: string): boolean {
    return !this.#leaving.get(nodeId)?.byHand && this.isListed(host, nodeId);
  }

  /** Whether the files let a node be part of the cluster. */
  isListed(host: string, nodeId: string): boolean {
    return !has(this.#excluded, host, nodeId) && (this.#included.size === 0 || has(this.#included, host, nodeId));
  }

  /** Neither included nor excluded while there is a list of the included: such nodes are forgotten when they left. */
  isUntracked(host: string, nodeId: string): boolean {
    return this.#included.size > 0 && !has(this.#included, host, nodeId) && !has(this.#excluded, host, nodeId);
  }

  /** Seconds that the exclude file gives a node to leave; negative: no end. */
  leaveSeconds(host: string, nodeId: string): number | undefined {
    return this.#excluded.get(nodeId) ?? this.#excluded.get(host);
  }

  /** Nodes on their way out. */
  leaving(): LeavingNode[] {
    return [...this.#leaving.values()];
  }

  /** How the node is on its way out; undefined: it is not. */
  leavingNode(nodeId: string): LeavingNode | undefined {
    return this.#leaving.get(nodeId);
  }

  /** The node is on its way out. */
  setLeaving(node: LeavingNode): void {
    this.#leaving.set(node.nodeId, node);
  }

  /** The node is on its way out no longer. */
  stay(nodeId: string): void {
    this.#leaving.delete(nodeId);
  }
}

const has = (hosts: Hosts, host: string, nodeId: string): boolean => hosts.has(host) || hosts.has(nodeId);

function readHosts(path: string | undefined): Hosts {
  if (path === undefined) return new Map();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  if (path.toLowerCase().endsWith('.xml')) return new Map(hostsOfXml(text));
  const words = text
    .split('\n')
    .map((line) => line.replace(/#.*/, ''))
    .flatMap((line) => line.split(/\s+/))
    .filter((word) => word !== '');
  return new Map(words.map((word) => [word, undefined]));
}

const withoutComments = (text: string): string =>
  text
    .split('<!--')
    .map((piece, index) => (index === 0 ? piece : piece.slice(piece.indexOf('-->') < 0 ? piece.length : piece.indexOf('-->') + 3)))
    .join('');

/** What stands between `<host>` and `</host>`. */
const blocks = (text: string): string[] =>
  text
    .split('</host>')
    .slice(0, -1)
    .flatMap((before) => before.split('<host>').slice(1, 2));

function* hostsOfXml(text: string): Generator<[string, number | undefined]> {
  const element = (name: string, block: string) => new RegExp(`<${name}>\\s*([^<]*?)\\s*</${name}>`).exec(block)?.[1];
  for (const block of blocks(withoutComments(text))) {
    const timeout = Number(element('timeout', block) || Number.NaN);
    for (const name of (element('name', block) ?? '').split(/[\s,]+/))
      if (name !== '') yield [name, Number.isInteger(timeout) ? timeout : undefined];
  }
}
