// The roles of a cluster: which module starts each one, and how one runs here or in a thread of its own.
import { existsSync, fstatSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { totalmem } from 'node:os';
import { isMainThread, type ResourceLimits, Worker } from 'node:worker_threads';
import type { Configuration, ConfigurationSnapshot } from './config/load.ts';
import { awakeWhile } from './lib/awake.ts';
import type { Readiness, ReadinessSource, RoleDependencies, RunningRole } from './lib/role.ts';
import type { NodeManagerDependencies } from './node-manager/start/start-options.ts';

type Start = (configuration: Configuration, dependencies: RoleDependencies) => Promise<RunningRole>;

/** Every role and the module that starts it, loaded when it is needed. */
export const roleModules = {
  timeline: () => import('./timeline/server.ts'),
  'resource-manager': () => import('./resource-manager/server.ts'),
  'node-manager': () => import('./node-manager/server.ts'),
  history: () => import('./history/server.ts'),
  proxy: () => import('./proxy/server.ts'),
} as const satisfies Record<string, () => Promise<{ start: Start }>>;

/** The name of a role. */
export type RoleName = keyof typeof roleModules;

/** What a thread is given to run a role. */
export interface RoleThreadData {
  readonly role: RoleName;
  readonly snapshot: ConfigurationSnapshot;
  /** URL of role-thread.ts. */
  readonly entry: string;
  /** A node manager joins its cluster only when it is told to. */
  readonly joinsWhenTold: boolean;
}

/** What a thread is told. */
export type RoleThreadOrder = 'join' | 'close';

/** What a thread tells. A failure carries the fields of a system error, so that a taken port can be named. */
export type RoleThreadMessage =
  | { readonly kind: 'started'; readonly addresses: Readonly<Record<string, string>>; readonly readiness: Readiness | undefined }
  | { readonly kind: 'readiness'; readonly readiness: Readiness }
  | { readonly kind: 'failed'; readonly error: TransferredError }
  | { readonly kind: 'closed' };

/** An error as plain data. */
export interface TransferredError {
  readonly message: string;
  readonly name: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  readonly address: string | undefined;
  readonly port: number | undefined;
}

/** Whether people read there. Nothing is loaded for it: node managers stay small. */
function isTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/**
 * Starts a role in this thread. Rejects when it cannot start, for example because its port is taken. A node manager connects to nobody before
 * `mayJoin`.
 */
export async function startRole(role: RoleName, configuration: Configuration, mayJoin?: Promise<unknown>): Promise<RunningRole> {
  // Loaded here, so that a process whose roles run in threads of their own stays small.
  const [
    { start },
    { guardSockets },
    { heddleSettings },
    { systemClock },
    { createLogger },
    { systemRandom },
    { keepSmall, processWorkload },
  ] = await Promise.all([
    roleModules[role](),
    import('./config/exposure.ts'),
    import('./config/settings/heddle.ts'),
    import('./lib/clock.ts'),
    import('./lib/log.ts'),
    import('./lib/random.ts'),
    import('./lib/resident-memory.ts'),
  ]);
  const { logLevel, logFormat } = configuration.values(heddleSettings);
  const isText = logFormat === 'text' || (logFormat === 'auto' && isTerminal(2));
  const textOf = isText ? (await import('./lib/log-text.ts')).textOfLine : undefined;
  const logger = createLogger({ name: role, level: logLevel, textOf });
  const dependencies = { logger, clock: systemClock, random: systemRandom };
  const joined: NodeManagerDependencies =
    role === 'node-manager'
      ? {
          ...dependencies,
          mayJoin,
          auxiliaryServices: (await import('./auxiliary-services.ts')).auxiliaryServices(configuration, dependencies),
        }
      : dependencies;
  const unfollow = await followTrust(configuration, dependencies);
  const sockets = await guardSockets(role, configuration, logger);
  // Another program may hold a store, or a disk be slow: both are waited for with timers alone.
  const running = await awakeWhile(Promise.race([sockets.refused, start(configuration, joined)]));
  const small = keepSmall(systemClock, isMainThread ? processWorkload() : undefined);
  const keeping = systemClock.setTimer(keepCompiledAfterMs, () => flushCompileCache());
  return {
    addresses: running.addresses,
    readiness: running.readiness,
    close() {
      sockets.stop();
      keeping.cancel();
      void small.close();
      unfollow();
      return awakeWhile(running.close());
    },
  };
}

/**
 * How long after its start a role keeps what its thread compiled, for the next start. By itself Node.js does so when a process ends, which
 * one that is killed never does.
 */
const keepCompiledAfterMs = 2000;

/** Believes the authorities of the settings where TLS is spoken; what reads certificates is loaded only then. */
async function followTrust(configuration: Configuration, dependencies: RoleDependencies): Promise<() => void> {
  const [{ schemeOf }, { tlsSettings }] = await Promise.all([import('./config/web-addresses.ts'), import('./config/settings/tls.ts')]);
  const isSpoken = schemeOf(configuration) === 'https' || schemeOf(configuration, 'history') === 'https';
  if (!isSpoken && configuration.origin(tlsSettings.authorityFile.key) === undefined) return () => undefined;
  return (await import('./client/authorities.ts')).followAuthorities(configuration, dependencies);
}

/**
 * Starts a role in a thread of its own. `died` is told when the thread ends without having been asked to.
 * A node manager connects to nobody before `mayJoin`. Rejects with the role's own error when it cannot start.
 */
export function startRoleInThread(
  role: RoleName,
  configuration: Configuration,
  died: (error: Error) => void,
  mayJoin?: Promise<unknown>,
): Promise<RunningRole> {
  const source = new URL('./role-thread.ts', import.meta.url);
  // In a built package the same file lies beside this one as JavaScript.
  const entry = existsSync(source) ? source : new URL('./role-thread.js', import.meta.url);
  const data: RoleThreadData = { role, snapshot: configuration.snapshot(), entry: entry.href, joinsWhenTold: mayJoin !== undefined };
  const worker = new Worker(threadStart, { eval: true, workerData: data, name: role, resourceLimits: limitsOf(role) });
  const order = (what: RoleThreadOrder) => worker.postMessage(what);
  // Where it cannot be, the others' failure is told.
  void mayJoin?.then(
    () => order('join'),
    () => undefined,
  );
  const readiness = new ToldReadiness();
  let closing = false;
  let ended = false;
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>();
  return new Promise<RunningRole>((resolve, reject) => {
    worker.on('message', (message: RoleThreadMessage) => {
      if (message.kind === 'started') {
        if (message.readiness) readiness.current = message.readiness;
        resolve({ addresses: message.addresses, readiness: message.readiness && readiness, close });
      } else if (message.kind === 'readiness') readiness.change(message.readiness);
      else if (message.kind === 'failed') {
        closing = true;
        reject(Object.assign(new Error(message.error.message), message.error));
      }
    });
    worker.on('error', (error) => {
      reject(error);
      if (!closing) died(error as Error);
    });
    worker.on('exit', (code) => {
      ended = true;
      exit();
      reject(new Error(`the ${role} ended while it started (code ${code})`));
      if (!closing) died(new Error(`the ${role} ended with code ${code}`));
    });
    async function close(): Promise<void> {
      closing = true;
      if (ended) return;
      order('close');
      const late = setTimeout(() => void worker.terminate(), closeTimeoutMs);
      await exited;
      clearTimeout(late);
    }
  });
}

/** The readiness of a role elsewhere, as it is told. */
class ToldReadiness implements ReadinessSource {
  current: Readiness = { ready: false };
  readonly #listeners: ((now: Readiness) => void)[] = [];

  onChange(listener: (now: Readiness) => void): void {
    this.#listeners.push(listener);
  }

  change(now: Readiness): void {
    this.current = now;
    for (const listener of this.#listeners) listener(now);
  }
}

/** Small nurseries keep idle threads small; the resource manager, which allocates most, gets a larger one and half of the machine. */
function limitsOf(role: RoleName): ResourceLimits {
  if (role !== 'resource-manager') return { maxYoungGenerationSizeMb: 8 };
  return { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: Math.max(512, Math.floor(totalmem() / 2 ** 21)) };
}

/**
 * First words of a thread. They are JavaScript, and turn the cache on before anything else is loaded: a thread that finds all its
 * modules there never loads the TypeScript stripper, which costs 9 MB and 20 ms a thread.
 */
const threadStart = `process.env.NODE_COMPILE_CACHE && require('node:module').enableCompileCache?.(); import(require('node:worker_threads').workerData.entry);`;

/** Time a role may take to close before its thread is ended. */
const closeTimeoutMs = 15_000;

/** An error as plain data, for the way out of a thread. */
export function transferError(error: unknown): TransferredError {
  const known = (error instanceof Error ? error : new Error(String(error))) as NodeJS.ErrnoException & { address?: string; port?: number };
  return { message: known.message, name: known.name, stack: known.stack, code: known.code, address: known.address, port: known.port };
}
