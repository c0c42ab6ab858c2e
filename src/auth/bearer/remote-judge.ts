// What tokens are worth, on servers other than the resource manager: it is asked once for each, and while it tells that nothing was
// revoked its answer holds. A server keeps one question open to it, so that a token that is revoked counts nowhere any more at once.
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { JsonShape } from '../../lib/json-shape.ts';
import type { Random } from '../../lib/random.ts';
import { failure } from '../../model/errors.ts';
import type { ClusterSecret } from '../cluster-secret.ts';
import { changesPath, examinePath, longestWaitMs, sealed, unsealed } from './examination.ts';
import type { JudgeToken } from './proof.ts';
import { type TokenVerdict, tokenVerdict, tokenVersion } from './verdict.ts';

/** Sends JSON to the resource manager and gives its JSON answer; rejects when there is none in time. Must not keep the process alive. */
export type AskManager = (path: string, body: object, timeoutMs: number) => Promise<unknown>;

export interface RemoteJudgeOptions {
  readonly ask: AskManager;
  readonly secret: Pick<ClusterSecret, 'examinationKeys'>;
  readonly clock: Clock;
  readonly random: Random;
}

const mostVerdicts = 10_000;
/** A verdict is asked for again after this time, so that the resource manager knows when a token was used last. */
const verdictMs = 60_000;
/** How long known tokens count while the resource manager cannot be reached: nobody revokes one then. */
const awayMs = 60_000;
/** The pause after a question that was not answered. */
const pauseMs = 1_000;
/** Most tokens that are asked for at once. */
const mostQuestions = 256;
const askMs = 5_000;

interface Known {
  readonly verdict: TokenVerdict;
  readonly atMs: number;
}

/** Asks the resource manager. */
export function remoteJudge(options: RemoteJudgeOptions): JudgeToken {
  const judge = new RemoteJudge(options);
  return (digest) => judge.judge(digest);
}

class RemoteJudge {
  readonly #options: RemoteJudgeOptions;
  readonly #known = new BoundedMap<string, Known>(mostVerdicts);
  readonly #asked = new Map<string, Promise<TokenVerdict>>();
  #version: string | undefined;
  /** Grows with every change that was heard of. */
  #generation = 0;
  /** When the resource manager last said which version is the present one. */
  #saidMs = Number.NEGATIVE_INFINITY;
  #usedMs = Number.NEGATIVE_INFINITY;
  /** Whether a question for changes is open. */
  #isWaiting = false;
  #failedMs = Number.NEGATIVE_INFINITY;

  constructor(options: RemoteJudgeOptions) {
    this.#options = options;
  }

  judge(digest: string): TokenVerdict | Promise<TokenVerdict> {
    const now = this.#options.clock.steadyMs();
    this.#usedMs = now;
    const known = this.#known.get(digest);
    if (known && this.#isWaiting && now - known.atMs < verdictMs) return this.#worthNow(known.verdict);
    const open = this.#asked.get(digest);
    if (open) return open;
    if (this.#asked.size >= mostQuestions) throw failure('OVERLOADED', { what: 'The examination of tokens', seconds: 1 });
    const question = this.#examine(digest);
    this.#asked.set(digest, question);
    return question;
  }

  async #examine(digest: string): Promise<TokenVerdict> {
    const { clock } = this.#options;
    const generation = this.#generation;
    try {
      const verdict = await this.#talk(examinePath, 'examine', tokenVerdict, { digest }, askMs);
      // An answer that was overtaken by a change is good for this request alone.
      if (generation === this.#generation) {
        this.#heard(verdict.version);
        if (verdict.token) this.#known.set(digest, { verdict, atMs: clock.steadyMs() });
      }
      return verdict;
    } catch {
      const before = this.#known.get(digest);
      if (before && clock.steadyMs() - this.#saidMs < awayMs) return this.#worthNow(before.verdict);
      throw failure('BEARER_UNEXAMINED');
    } finally {
      this.#asked.delete(digest);
      this.#wait();
    }
  }

  #heard(version: string): void {
    this.#saidMs = this.#options.clock.steadyMs();
    if (version === this.#version) return;
    this.#generation += 1;
    this.#version = version;
    this.#known.clear();
  }

  /** Asks to be told of changes, again and again while tokens are used. */
  #wait(): void {
    const { clock } = this.#options;
    if (this.#isWaiting || this.#version === undefined || clock.steadyMs() - this.#failedMs < pauseMs) return;
    this.#isWaiting = true;
    this.#talk(changesPath, 'changes', tokenVersion, { version: this.#version }, longestWaitMs + askMs)
      .then(
        ({ version }) => this.#heard(version),
        () => {
          this.#failedMs = clock.steadyMs();
        },
      )
      .finally(() => {
        this.#isWaiting = false;
        if (clock.steadyMs() - this.#usedMs < verdictMs) this.#wait();
      });
  }

  async #talk<T>(path: string, about: 'examine' | 'changes', shape: JsonShape<T>, question: object, timeoutMs: number): Promise<T> {
    const { ask, secret, random } = this.#options;
    const [key] = secret.examinationKeys;
    if (!key) throw new Error("the cluster's secret is gone");
    const nonce = random.bytes(16).toString('base64url');
    const answer = unsealed([key], `${about} answer`, shape, await ask(path, sealed(key, `${about} question`, nonce, question), timeoutMs));
    if (answer?.nonce !== nonce) throw new Error('the answer is not of the resource manager of this cluster');
    return answer.value;
  }

  #worthNow(verdict: TokenVerdict): TokenVerdict {
    const isOver = verdict.token !== undefined && verdict.token.expiresMs <= this.#options.clock.now();
    return isOver ? { refused: 'expired', version: verdict.version } : verdict;
  }
}
