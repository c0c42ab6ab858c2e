// The master's side of the master protocol. Calls are repeated while the resource manager is away, so that a master outlives its restart.

import { setTimeout as sleep } from 'node:timers/promises';
import { attemptKey } from '../auth/connection-key.ts';
import { digestOfSecret } from '../auth/secrets.ts';
import { handedSecret } from '../lib/handed-secret.ts';
import { checked, type JsonShape } from '../lib/json-shape.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import {
  type AllocateRequest,
  type AllocateResponse,
  allocateResponse,
  type FinishRequest,
  type FinishResponse,
  finishResponse,
  type RegisterRequest,
  type RegisterResponse,
  registerResponse,
} from '../wire/cluster/master-protocol.ts';
import { ProvenAgent, Unproven } from './proven-agent.ts';
import { request } from './request.ts';

/** How long calls are repeated while what answers cannot prove that it is the resource manager of this attempt. */
const unprovenPatienceMs = 60_000;

/** The address and the identity with which a master calls. From its environment: HEDDLE_RESOURCE_MANAGER, HEDDLE_ATTEMPT_ID, and the token in the file HEDDLE_ATTEMPT_TOKEN_FILE. */
export interface MasterClientOptions {
  readonly resourceManager: string;
  readonly attemptId: string;
  readonly token: string;
  /** How long calls are repeated while no answer comes, ms. Default 600,000. */
  readonly patienceMs?: number;
}

/** Thrown when the resource manager refuses a call: repeating it would not help. */
export class MasterRefused extends Error {
  override readonly name = 'MasterRefused';
  readonly status: number;
  /** The sentence inside the refusal. */
  readonly reason: string;
  constructor(status: number, text: string) {
    super(`the resource manager refused the call with ${status}: ${text.slice(0, 500)}`);
    this.status = status;
    this.reason = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]?.replace(/\\(.)/g, '$1') ?? text.slice(0, 500);
  }
}

/** Thrown when the answer is of another form than this version knows: the same would come again. */
class AnswerUnreadable extends Error {
  override readonly name = 'AnswerUnreadable';
}

function readAnswer<T>(path: string, answers: JsonShape<T>, answered: unknown): T {
  const { value, fault } = checked(answers, answered);
  if (fault !== undefined) throw new AnswerUnreadable(`the answer of the resource manager to ${path} cannot be read: ${fault}`);
  return value;
}

/**
 * The options a master finds in its environment and in the file of its token (HEDDLE_ATTEMPT_TOKEN_FILE, or HEDDLE_ATTEMPT_TOKEN itself).
 * @throws Error when it was not started by Heddle
 */
export function masterOptionsFromEnvironment(environment: NodeJS.ProcessEnv = process.env): MasterClientOptions {
  const { HEDDLE_RESOURCE_MANAGER: resourceManager, HEDDLE_ATTEMPT_ID: attemptId } = environment;
  const token = handedSecret('HEDDLE_ATTEMPT_TOKEN', environment);
  if (!resourceManager || !attemptId || !token)
    throw new Error('HEDDLE_RESOURCE_MANAGER, HEDDLE_ATTEMPT_ID and HEDDLE_ATTEMPT_TOKEN_FILE are set for application masters only');
  return { resourceManager, attemptId, token };
}

/** A name for one registration, unlike every other. */
export const newRegistrationId = (random: Random = systemRandom): string => random.bytes(12).toString('hex');

/** A connection of one master to the resource manager. */
export class MasterClient {
  readonly #base: string;
  readonly #agent: ProvenAgent;
  readonly #patienceMs: number;

  constructor(options: MasterClientOptions) {
    // The agent connects; TLS with certificates, where it is spoken, lies around what it proves.
    this.#base = `${options.resourceManager.replace(/^https:/, 'http:').replace(/\/$/, '')}/api/v1/attempts/${options.attemptId}`;
    const key = attemptKey(options.attemptId, digestOfSecret(options.token));
    this.#agent = new ProvenAgent({
      url: () => options.resourceManager,
      keys: () => [key],
      unknown: 'what answers as resource manager does not know this attempt',
      keepAlive: true,
    });
    this.#patienceMs = options.patienceMs ?? 600_000;
  }

  /** Says where the master is reached. With `registrationId: newRegistrationId()` no copy that comes late, of this call or of others, does anything. */
  register(body: RegisterRequest, signal?: AbortSignal): Promise<RegisterResponse> {
    return this.#call('register', registerResponse, body, 30_000, signal);
  }

  /**
   * Sends requests and takes news; waits up to `waitMs` for it. `responseId`: that of the last answer; at first that of the registration's, which
   * is 0 where it had no `registrationId`. On `command: 'resync'` register again, by another `registrationId`, and repeat every open request.
   */
  allocate(body: AllocateRequest, waitMs: number, signal?: AbortSignal): Promise<AllocateResponse> {
    return this.#call(`allocate?wait=${waitMs}`, allocateResponse, body, waitMs + 30_000, signal);
  }

  finish(body: FinishRequest, signal?: AbortSignal): Promise<FinishResponse> {
    return this.#call('finish', finishResponse, body, 30_000, signal);
  }

  async #call<T>(path: string, answers: JsonShape<T>, body: unknown, timeoutMs: number, signal?: AbortSignal): Promise<T> {
    const text = JSON.stringify(body);
    const endMs = performance.now() + this.#patienceMs;
    let unprovenMs: number | undefined;
    for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, 1000)) {
      signal?.throwIfAborted();
      try {
        const answer = await request(`${this.#base}/${path}`, {
          method: 'POST',
          agent: this.#agent,
          headers: { 'content-type': 'application/json' },
          body: text,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
          signal,
        });
        const answered = await answer.body.text();
        if (answer.statusCode < 300) return readAnswer(path, answers, JSON.parse(answered));
        if (answer.statusCode < 500 && answer.statusCode !== 429) throw new MasterRefused(answer.statusCode, answered);
      } catch (error) {
        if (error instanceof MasterRefused || error instanceof AnswerUnreadable || signal?.aborted || performance.now() > endMs)
          throw error;
        // It may be another server that answers while the resource manager is away; for long it is the resource manager, which forgot the attempt.
        if (!(error instanceof Unproven)) unprovenMs = undefined;
        else if (performance.now() - (unprovenMs ??= performance.now()) > unprovenPatienceMs) throw new MasterRefused(401, error.message);
      }
      await sleep(delayMs, undefined, { signal });
    }
  }
}
