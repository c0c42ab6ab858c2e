// GSS-API through a process of its own (gss-process.ts): accepts tickets of callers, and gets tickets for calls to others.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { GssAnswer, GssGreeting, GssQuestion } from './gss-messages.ts';

/** Where keys and tickets are. */
export interface GssOptions {
  /** Keys that tickets of callers are accepted with. */
  readonly acceptorKeytab?: string | undefined;
  /** Keys of the principal that calls others; absent: the tickets of the user's own credential cache. */
  readonly initiatorKeytab?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Why a ticket was not accepted or not given; the words are those of the Kerberos library. */
export class GssRefused extends Error {
  override readonly name = 'GssRefused';
}

/** The process is gone, or has too much to do. */
export class GssUnavailable extends Error {
  override readonly name = 'GssUnavailable';
}

/** A caller whose messages are wrapped by what its ticket agreed on (RFC 4121). */
export interface GssSession extends Omit<Accepted, 'token'> {
  readonly token: Buffer;
  /** The next message for the caller; `isPrivate`: nobody else reads it. @throws GssRefused, GssUnavailable */
  wrap(message: Uint8Array, isPrivate: boolean): Promise<Buffer>;
  /** The next message of the caller, in turn. @throws GssRefused, GssUnavailable */
  unwrap(message: Uint8Array): Promise<{ readonly message: Buffer; readonly isPrivate: boolean }>;
  /** Ends it; nothing else may be called then. */
  end(): void;
}

/** Who a ticket names, for whom it was made, and the answer that proves the server. */
export interface Accepted {
  readonly principal: string;
  readonly target: string;
  readonly token: string | undefined;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const unexpectedAnswer = (): GssUnavailable => new GssUnavailable('the GSS process answered something else');

const answerTimeoutMs = 30_000;
const mostWaiting = 1_000;
/** Variables of the Kerberos library that the process gets from ours; keytabs and caches are its own. */
const inherited = ['PATH', 'HOME', 'LANG', 'TZ', 'KRB5_CONFIG', 'KRB5_TRACE', 'KRB5RCACHENAME', 'KRB5RCACHETYPE', 'NODE_COMPILE_CACHE'];

interface Waiting {
  readonly resolve: (answer: GssAnswer) => void;
  readonly reject: (error: Error) => void;
}

interface Running {
  readonly child: ChildProcess;
  /** Whether it keeps this process alive: only while a caller waits for it. */
  readonly hold: (isAwaited: boolean) => void;
  readonly greeted: Promise<void>;
  readonly waiting: Map<number, Waiting>;
}

/** One process for the keys of one server. It is started again by the next call when it has died. */
export class Gss {
  readonly #options: GssOptions;
  #running: Running | undefined;
  #last = 0;
  #closed = false;

  constructor(options: GssOptions) {
    this.#options = options;
  }

  /** Resolves when the process can work. @throws GssUnavailable with the reason, such as a package that is not installed */
  async ready(): Promise<void> {
    await this.#started().greeted;
  }

  /** Accepts a caller's SPNEGO token, base64. @throws GssRefused, GssUnavailable */
  async accept(token: string): Promise<Accepted> {
    const answer = await this.#ask((id) => ({ id, accept: token }));
    if (!('user' in answer)) throw unexpectedAnswer();
    return { principal: answer.user, target: answer.target, token: answer.token };
  }

  /** A fresh SPNEGO token, base64, for a service (`HTTP@host`), as the principal or as whose tickets there are. @throws GssRefused, GssUnavailable */
  async initiate(service: string, principal?: string): Promise<string> {
    const { token } = (await this.#ask((id) => ({ id, initiate: service, principal }))) as { token?: string };
    if (!token) throw unexpectedAnswer();
    return token;
  }

  /** Gets a ticket of the KDC by the key of `principal` in `keytab`; gives how long it lasts, ms. @throws GssRefused, GssUnavailable */
  async login(principal: string, keytab: string): Promise<number> {
    const answer = await this.#ask((id) => ({ id, login: principal, keytab }));
    if (!('lifetimeMs' in answer)) throw unexpectedAnswer();
    return answer.lifetimeMs;
  }

  /** A fresh SPNEGO token, base64, for a service (`HTTP@host`), of the principal that `login` was for. @throws GssRefused, GssUnavailable */
  async show(service: string, principal: string, keytab: string): Promise<string> {
    const answer = await this.#ask((id) => ({ id, show: service, principal, keytab }));
    if (!('token' in answer) || !answer.token) throw unexpectedAnswer();
    return answer.token;
  }

  /** Accepts a caller's first token of Kerberos 5 alone, without SPNEGO. @throws GssRefused, GssUnavailable */
  async begin(first: Uint8Array): Promise<GssSession> {
    let context = 0;
    const end = (): void => this.#tell({ forget: context });
    const question = (id: number): GssQuestion => {
      context = id;
      return { id, begin: base64(first) };
    };
    const begun = await this.#ask(question).catch((error: unknown) => {
      // What came too late stands there all the same.
      end();
      throw error;
    });
    if (!('user' in begun)) throw unexpectedAnswer();
    return {
      principal: begun.user,
      target: begun.target,
      token: Buffer.from(begun.token ?? '', 'base64'),
      wrap: async (message, isPrivate) => {
        const answer = await this.#askOfContext((id) => ({ id, context, wrap: base64(message), isPrivate }));
        if (!('token' in answer)) throw unexpectedAnswer();
        return Buffer.from(answer.token ?? '', 'base64');
      },
      unwrap: async (message) => {
        const answer = await this.#askOfContext((id) => ({ id, context, unwrap: base64(message) }));
        if (!('message' in answer)) throw unexpectedAnswer();
        return { message: Buffer.from(answer.message, 'base64'), isPrivate: answer.isPrivate };
      },
      end,
    };
  }

  /** Ends the process; calls that wait are refused. */
  close(): void {
    this.#closed = true;
    this.#running?.child.stdin?.end();
    this.#running?.child.kill();
  }

  /** Where no process runs there is nothing to tell. */
  #tell(message: GssQuestion): void {
    this.#running?.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  async #ask(question: (id: number) => GssQuestion): Promise<GssAnswer> {
    const running = this.#started();
    await running.greeted;
    if (running.waiting.size >= mostWaiting) throw new GssUnavailable('too many logins at once');
    return this.#answerOf(running, question);
  }

  /** Of the process that has the context: one that began after its end knows none. */
  async #askOfContext(question: (id: number) => GssQuestion): Promise<GssAnswer> {
    if (!this.#running) throw new GssUnavailable('the GSS process ended');
    return this.#answerOf(this.#running, question);
  }

  async #answerOf(running: Running, question: (id: number) => GssQuestion): Promise<GssAnswer> {
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<GssAnswer>();
    const timer = this.#options.clock.setTimer(answerTimeoutMs, () => reject(new GssUnavailable('no answer in time')));
    running.waiting.set(id, { resolve, reject });
    running.hold(true);
    running.child.stdin?.write(`${JSON.stringify(question(id))}\n`);
    try {
      const answer = await promise;
      if ('refused' in answer) throw new GssRefused(answer.refused);
      return answer;
    } finally {
      timer.cancel();
      running.waiting.delete(id);
      if (running.waiting.size === 0) running.hold(false);
    }
  }

  #started(): Running {
    if (this.#closed) throw new GssUnavailable('the server stops');
    this.#running ??= this.#start();
    return this.#running;
  }

  #start(): Running {
    const source = new URL('./gss-process.ts', import.meta.url);
    const entry = existsSync(source) ? source : new URL('./gss-process.js', import.meta.url);
    const child = spawn(process.execPath, [fileURLToPath(entry)], { env: this.#environment(), stdio: ['pipe', 'pipe', 'pipe'] });
    const { promise: greeted, resolve: greet, reject: refuse } = Promise.withResolvers<void>();
    const handles = [child, child.stdin, child.stdout, child.stderr] as unknown as { ref?: () => void; unref?: () => void }[];
    const hold = (isAwaited: boolean) => {
      for (const handle of handles) isAwaited ? handle.ref?.() : handle.unref?.();
    };
    const running: Running = { child, hold, greeted, waiting: new Map() };
    void greeted.catch(() => undefined).then(() => hold(running.waiting.size > 0));
    const { logger } = this.#options;
    const gone = (reason: string) => {
      if (this.#running === running) this.#running = undefined;
      const error = new GssUnavailable(reason);
      refuse(error);
      for (const { reject } of running.waiting.values()) reject(error);
    };
    child.on('error', (error) => gone(error.message));
    child.on('exit', (code, signal) => {
      if (!this.#closed) logger.warn({ code, signal }, 'the GSS process ended');
      gone('the GSS process ended');
    });
    child.stdin.on('error', (error) => logger.debug({ err: error }, 'writing to the GSS process failed'));
    child.stderr.setEncoding('utf8').on('data', (text: string) => logger.debug({ text: text.slice(0, 1000) }, 'the GSS process wrote'));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as GssGreeting | GssAnswer;
      if ('ready' in message) {
        if (message.ready) greet();
        else gone(message.reason);
      } else running.waiting.get(message.id)?.resolve(message);
    });
    return running;
  }

  #environment(): NodeJS.ProcessEnv {
    const { acceptorKeytab, initiatorKeytab } = this.#options;
    const environment: NodeJS.ProcessEnv = {};
    for (const name of inherited) if (process.env[name] !== undefined) environment[name] = process.env[name];
    if (acceptorKeytab !== undefined) environment['KRB5_KTNAME'] = `FILE:${acceptorKeytab}`;
    if (initiatorKeytab !== undefined) {
      environment['KRB5_CLIENT_KTNAME'] = `FILE:${initiatorKeytab}`;
      environment['KRB5CCNAME'] = 'MEMORY:heddle';
    } else if (process.env['KRB5CCNAME'] !== undefined) environment['KRB5CCNAME'] = process.env['KRB5CCNAME'];
    return environment;
  }
}
