// The secret that nodes and resource manager share, and those before it: a line each, read again whenever the file changes, so that it is
// changed while everything runs.
import { statSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { fewestSecretBytes } from '../lib/secret-rules.ts';
import { replaceDurably } from '../lib/whole-writes.ts';
import { type ConnectionKey, deriveKey } from './connection-key.ts';
import { ensureSecretFile, readSecretFile, SecretUnusable, secretOfBase64 } from './secret-file.ts';

/** A line of the file: `BASE64`, or `BASE64 until TIME` for one that has a successor. */
interface Line {
  readonly secret: Buffer;
  /** ms since the epoch. */
  readonly untilMs: number;
}

const mostLines = 6;
const prefix = 'node ';

/** Whether an identity that was proven is that of a node. */
export const isNodeIdentity = (identity: string | undefined): boolean => identity?.startsWith(prefix) ?? false;

/** The identity of a node's key on the wire: nobody finds the secret from it. */
const identityOf = (secret: Buffer): string => `${prefix}${deriveKey(secret, 'node key name').toString('hex', 0, 8)}`;

/** @throws SecretUnusable naming file and line; the file system's errors */
function readLines(path: string): Line[] {
  const texts = readSecretFile(path)
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (texts.length > mostLines) throw new SecretUnusable(`${path} holds more than ${mostLines} secrets: delete the lines of the oldest`);
  return texts.map((text, index) => {
    const [base64 = '', word, time = ''] = text.split(/\s+/);
    const secret = secretOfBase64(base64);
    const untilMs = word === undefined ? Number.POSITIVE_INFINITY : word === 'until' ? Date.parse(time) : Number.NaN;
    if (secret && !Number.isNaN(untilMs)) return { secret, untilMs };
    throw new SecretUnusable(
      `${path}, line ${index + 1} is no secret of at least ${fewestSecretBytes} random bytes: BASE64, or BASE64 until TIME. Delete the file for a new one.`,
    );
  });
}

const written = ({ secret, untilMs }: Line): string =>
  `${secret.toString('base64')}${untilMs === Number.POSITIVE_INFINITY ? '' : ` until ${new Date(untilMs).toISOString()}`}\n`;

/** The secrets in the file of `heddle.cluster.secret-file`. */
export class ClusterSecret {
  readonly #path: string;
  readonly #clock: Clock;
  #lines: readonly Line[] = [];
  #state = '';
  #examinationKeys: readonly { readonly key: Buffer; readonly untilMs: number }[] = [];
  #requestKeys: readonly { readonly key: Buffer; readonly untilMs: number }[] = [];
  #keys: readonly (ConnectionKey & { readonly untilMs: number })[] = [];

  /** Reads the file, which is made where there is none. @throws Error where it holds no secret, or the file system's */
  constructor(path: string, { clock, random }: { readonly clock: Clock; readonly random: Random }) {
    ensureSecretFile(path, random);
    this.#path = path;
    this.#clock = clock;
    this.#look();
  }

  /** The keys of node connections that count now, the newest first. What cannot be read leaves those that were read before. */
  get nodeKeys(): readonly ConnectionKey[] {
    return this.#counting(() => this.#keys);
  }

  /** Whose keys count on connections of nodes, as a server tells those who ask. */
  get nodeHint(): string {
    return this.nodeKeys.map(({ identity }) => identity).join(',');
  }

  /** The key of an identity of a node, where it counts now. */
  nodeKeyOf(identity: string): Buffer | undefined {
    return this.nodeKeys.find((each) => each.identity === identity)?.key;
  }

  /** The keys that sign what servers and resource manager say to each other of bearer tokens; the same way. */
  get examinationKeys(): readonly Buffer[] {
    return this.#counting(() => this.#examinationKeys).map(({ key }) => key);
  }

  /** The keys by which nodes know requests of the cluster's servers; the same way. */
  get requestKeys(): readonly Buffer[] {
    return this.#counting(() => this.#requestKeys).map(({ key }) => key);
  }

  #counting<Key extends { readonly untilMs: number }>(keys: () => readonly Key[]): readonly Key[] {
    try {
      this.#look();
    } catch {
      // Another process writes it just now.
    }
    const nowMs = this.#clock.now();
    return keys().filter(({ untilMs }) => untilMs > nowMs);
  }

  #look(): void {
    const { mtimeMs, size, ino } = statSync(this.#path);
    const state = `${mtimeMs} ${size} ${ino}`;
    if (state === this.#state) return;
    this.#lines = readLines(this.#path);
    this.#keys = this.#lines.map(({ secret, untilMs }) => ({
      identity: identityOf(secret),
      key: deriveKey(secret, 'node connection'),
      untilMs,
    }));
    const derived = (purpose: string) => this.#lines.map(({ secret, untilMs }) => ({ key: deriveKey(secret, purpose), untilMs }));
    this.#examinationKeys = derived('token examination');
    this.#requestKeys = derived('request to a node');
    this.#state = state;
  }
}

/**
 * Puts a new secret into the file; those that were there count for `keepMs` more, or as long as they would have.
 * @returns how many still count, the new one included
 * @throws Error where the file holds no secret, or the file system's
 */
export function rotateSecret(path: string, keepMs: number, { clock, random }: { readonly clock: Clock; readonly random: Random }): number {
  ensureSecretFile(path, random);
  const nowMs = clock.now();
  const kept = readLines(path)
    .map(({ secret, untilMs }) => ({ secret, untilMs: Math.min(untilMs, nowMs + keepMs) }))
    .filter(({ untilMs }) => untilMs > nowMs)
    .slice(0, mostLines - 1);
  const lines = [{ secret: random.bytes(32), untilMs: Number.POSITIVE_INFINITY }, ...kept];
  replaceDurably(path, lines.map(written).join(''), { mode: 0o600 });
  return lines.length;
}
