// The life of an application as spans: the application, how long its masters waited and why, its attempts, its containers. Each is made when it is
// over. Their ids follow from what they are of, so that spans of one application belong together over restarts of the resource manager.
import { createHash } from 'node:crypto';
import type { Clock, Timer } from '../../lib/clock.ts';
import { exitMeaning, exitStatus } from '../../model/exit-status.ts';
import { type Application, diagnosticsOf, finalStatus, publicState } from '../applications/application.ts';
import { type Attempt, publicAttemptState } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { ClusterObserver } from '../cluster/observer.ts';

/** Something that took time. Times in ms since the epoch. */
export interface TracedSpan {
  /** 32 hexadecimal digits, of the application. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
  /** Undefined: it is the application's. */
  readonly parentId: string | undefined;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  /** By the names of `docs/operate/monitoring.md`. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** What happened within. */
  readonly moments: readonly { readonly name: string; readonly timeMs: number; readonly attributes?: Readonly<Record<string, string>> }[];
  /** Why it did not end well. */
  readonly fault?: string;
}

/** What spans are made from. */
export interface SpanNeeds {
  readonly clock: Clock;
  /** Whether the application's master waits for a container now. */
  readonly isWaiting: (application: Application) => boolean;
  /** What the scheduler says of one that waits; a text up to `ageMs` old will do. */
  readonly waitingText: (application: Application, ageMs: number) => string | undefined;
  readonly take: (span: TracedSpan) => void;
}

const digits = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length);
/** The trace of an application. */
export const traceIdOf = (applicationId: string): string => digits(`trace ${applicationId}`, 32);
/** The span of an application, attempt or container. */
export const spanIdOf = (id: string): string => digits(`span ${id}`, 16);

/** How often it is asked why applications wait, and of how many. */
const lookMs = 5000;
const mostAsked = 50;
const mostReasons = 20;
const longestText = 2000;
const text = (value: string): string => value.trim().slice(0, longestText).toWellFormed();

/** A wait for a master's container. */
interface Wait {
  readonly application: Application;
  readonly sinceMs: number;
  readonly reasons: { readonly name: string; readonly timeMs: number; readonly attributes: { readonly reason: string } }[];
}

/** Watches a cluster and makes spans. */
export class ApplicationSpans {
  readonly #needs: SpanNeeds;
  readonly #waits = new Map<string, Wait>();
  #timer: Timer | undefined;
  readonly observer: ClusterObserver;

  constructor(needs: SpanNeeds) {
    this.#needs = needs;
    this.observer = {
      applicationCreated: (application) => this.#beginWait(application, application.startedMs),
      submissionRefused: ({ id }) => void this.#waits.delete(id),
      applicationRecovered: (application) => {
        if (needs.isWaiting(application)) this.#beginWait(application, needs.clock.now());
      },
      containerCreated: (application, { isMaster, createdMs }) => {
        if (isMaster) this.#endWait(application, createdMs);
      },
      containerFinished: (application, container) => needs.take(containerSpan(application, container, needs.clock.now())),
      attemptFinished: (application, attempt) => {
        needs.take(attemptSpan(application, attempt, needs.clock.now()));
        if (application.finishedMs === 0) this.#beginWait(application, needs.clock.now());
      },
      applicationFinished: (application) => this.#finish(application),
      endRecovered: (application) => this.#finish(application),
    };
  }

  close(): void {
    this.#timer?.cancel();
    this.#waits.clear();
  }

  #beginWait(application: Application, sinceMs: number): void {
    this.#waits.set(application.id, { application, sinceMs, reasons: [] });
    this.#timer ??= this.#needs.clock.setTimer(lookMs, () => this.#look());
  }

  /** Notes what holds those back that have waited longest. */
  #look(): void {
    this.#timer = undefined;
    let asked = 0;
    for (const { application, reasons } of this.#waits.values()) {
      if (asked++ === mostAsked) break;
      const reason = this.#needs.waitingText(application, lookMs);
      if (reason === undefined || reasons.length >= mostReasons) continue;
      const plain = text(reason.replace(/^\[[^\]]*\]\s*/, ''));
      if (reasons.at(-1)?.attributes.reason !== plain)
        reasons.push({ name: 'waits', timeMs: this.#needs.clock.now(), attributes: { reason: plain } });
    }
    if (this.#waits.size > 0) this.#timer = this.#needs.clock.setTimer(lookMs, () => this.#look());
  }

  #endWait(application: Application, endMs: number): void {
    const wait = this.#waits.get(application.id);
    if (wait === undefined) return;
    this.#waits.delete(application.id);
    const { sinceMs, reasons } = wait;
    this.#needs.take({
      traceId: traceIdOf(application.id),
      spanId: spanIdOf(`wait ${application.id} ${sinceMs}`),
      parentId: spanIdOf(application.id),
      name: 'wait for master',
      startMs: sinceMs,
      endMs: Math.max(sinceMs, endMs),
      attributes: { 'heddle.application.id': application.id, 'heddle.queue': application.queue },
      moments: reasons,
    });
  }

  #finish(application: Application): void {
    const endMs = application.finishedMs > 0 ? application.finishedMs : this.#needs.clock.now();
    this.#endWait(application, endMs);
    this.#needs.take(applicationSpan(application, endMs));
  }
}

function applicationSpan(application: Application, endMs: number): TracedSpan {
  const { id, user, queue, submission, startedMs, attempts, launchedMs } = application;
  const status = finalStatus(application);
  return {
    traceId: traceIdOf(id),
    spanId: spanIdOf(id),
    parentId: undefined,
    name: `application ${submission.name}`.slice(0, 200),
    startMs: startedMs,
    endMs: Math.max(startedMs, endMs),
    attributes: {
      'heddle.application.id': id,
      'heddle.application.name': submission.name,
      'heddle.application.type': submission.type,
      'heddle.application.state': publicState(application),
      'heddle.application.final_status': status,
      'heddle.application.attempts': attempts.length,
      'heddle.queue': queue,
      'enduser.id': user,
    },
    moments: launchedMs > 0 ? [{ name: 'launched', timeMs: launchedMs }] : [],
    ...(status === 'SUCCEEDED' ? {} : { fault: text(diagnosticsOf(application)) || status }),
  };
}

function attemptSpan({ id: applicationId }: Application, attempt: Attempt, nowMs: number): TracedSpan {
  const { id, startedMs, finishedMs, host, exitCode, diagnostics } = attempt;
  const state = publicAttemptState(attempt);
  return {
    traceId: traceIdOf(applicationId),
    spanId: spanIdOf(id),
    parentId: spanIdOf(applicationId),
    name: 'attempt',
    startMs: startedMs,
    endMs: Math.max(startedMs, finishedMs > 0 ? finishedMs : nowMs),
    attributes: {
      'heddle.application.id': applicationId,
      'heddle.attempt.id': id,
      'heddle.attempt.state': state,
      ...(host ? { 'heddle.attempt.host': host } : {}),
      ...(exitCode === undefined ? {} : { 'heddle.exit_status': exitCode }),
    },
    moments: [],
    ...(state === 'FINISHED' ? {} : { fault: text(diagnostics) || state }),
  };
}

/** Whether a container ended by itself well, or was given back. */
const isWell = (exitCode: number | undefined): boolean =>
  exitCode === undefined || exitCode === 0 || exitCode === exitStatus.killedByMaster || exitCode === exitStatus.killedAfterApplicationEnd;

function containerSpan({ id: applicationId }: Application, container: Container, nowMs: number): TracedSpan {
  const { id, attemptId, nodeId, resource, isMaster, executionType, createdMs, startedMs, finishedMs, exitCode, diagnostics } = container;
  return {
    traceId: traceIdOf(applicationId),
    spanId: spanIdOf(id),
    parentId: spanIdOf(attemptId),
    name: isMaster ? 'master container' : 'container',
    startMs: createdMs,
    endMs: Math.max(createdMs, finishedMs > 0 ? finishedMs : nowMs),
    attributes: {
      'heddle.application.id': applicationId,
      'heddle.attempt.id': attemptId,
      'heddle.container.id': id,
      'heddle.container.memory_mib': resource[0] ?? 0,
      'heddle.container.vcores': resource[1] ?? 0,
      'heddle.container.execution_type': executionType,
      'heddle.node.id': nodeId,
      ...(exitCode === undefined ? {} : { 'heddle.exit_status': exitCode }),
    },
    moments: startedMs > 0 ? [{ name: 'started', timeMs: startedMs }] : [],
    ...(isWell(exitCode) ? {} : { fault: text(diagnostics) || exitMeaning(exitCode) }),
  };
}
