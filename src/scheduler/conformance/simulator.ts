// Drives a policy without a cluster: numbers containers, keeps what was given, ends it. For tests and benches.

import { ResourceTypes } from '../../model/resource.ts';
import { createPolicy } from '../create-policy.ts';
import type { Admission, NewApplication } from '../entries.ts';
import type { Decision, Parking, PolicyKind, PolicyOptions, SchedulerSettings, SchedulingPolicy } from '../policy.ts';
import { presetSettings } from './presets.ts';

export interface SimulatorOptions {
  kind?: PolicyKind;
  /** Keys without `yarn.scheduler.capacity.`. */
  queues?: Record<string, string>;
  allocations?: string;
  settings?: Partial<SchedulerSettings>;
  parking?: Parking;
  nowMs?: number;
}

/** A policy and everything it believes to exist. */
export class Simulator {
  readonly policy: SchedulingPolicy;
  nowMs: number;
  /** By how much the machine's clock was set since. */
  setByMs = 0;
  readonly decisions: Decision[] = [];
  /** Containers by id, with the application that holds them. */
  readonly containers = new Map<string, { applicationId: string; nodeId: string }>();
  #applications = 0;
  #numbers = new Map<string, number>();

  constructor(options: SimulatorOptions = {}) {
    this.nowMs = options.nowMs ?? 1_700_000_000_000;
    const full: PolicyOptions = {
      kind: options.kind ?? 'capacity',
      properties: new Map(
        Object.entries(options.queues ?? { 'root.queues': 'default', 'root.default.capacity': '100' }).map(([key, value]) => [
          `yarn.scheduler.capacity.${key}`,
          value,
        ]),
      ),
      allocations: options.allocations,
      settings: { ...presetSettings, ...options.settings },
      types: new ResourceTypes(),
      clock: { now: () => this.nowMs + this.setByMs, steadyMs: () => this.nowMs },
      ...(options.parking !== undefined && { parking: options.parking }),
    };
    this.policy = createPolicy(full);
  }

  addNodes(count: number, memoryMiB = 8192, vcores = 8, label = ''): void {
    for (let i = 0; i < count; i++)
      this.policy.addNode({ nodeId: `node${i}${label}:1`, host: `node${i}`, rack: '/default-rack', resource: [memoryMiB, vcores], label });
  }

  /** Adds an application with one attempt; `masterMiB` undefined makes it unmanaged. */
  submit(asked: Partial<NewApplication> & { masterMiB?: number; masterVcores?: number; masterLabel?: string }): {
    applicationId: string;
    attemptId: string;
    admission: Admission;
  } {
    const sequence = ++this.#applications;
    const applicationId = asked.applicationId ?? `application_1_${String(sequence).padStart(4, '0')}`;
    const attemptId = `appattempt_1_${String(sequence).padStart(4, '0')}_000001`;
    const admission = this.policy.addApplication({
      queue: 'default',
      user: 'ada',
      priority: -1,
      submitTimeMs: this.nowMs,
      unmanaged: asked.masterMiB === undefined,
      labelExpression: undefined,
      ...asked,
      applicationId,
    });
    if (admission.accepted) {
      const masterRequest =
        asked.masterMiB === undefined
          ? undefined
          : {
              requestId: 'master',
              priority: 0,
              resource: [asked.masterMiB, asked.masterVcores ?? 1],
              count: 1,
              labelExpression: asked.masterLabel,
            };
      this.policy.addAttempt({ applicationId, attemptId, masterRequest });
    }
    return { applicationId, attemptId, admission };
  }

  /** Runs until nothing more is proposed; preempted containers end at once. */
  run(budget = 1000): Decision[] {
    const made: Decision[] = [];
    for (;;) {
      const decisions = this.policy.schedule(budget, (attemptId) => this.#nextContainerId(attemptId));
      for (const decision of decisions) {
        if (decision.kind === 'allocate')
          this.containers.set(decision.containerId, { applicationId: decision.applicationId, nodeId: decision.nodeId });
      }
      made.push(...decisions);
      for (const decision of decisions) if (decision.kind === 'preempt') this.end(decision.containerId);
      if (!this.policy.hasWork()) break;
    }
    this.decisions.push(...made);
    return made;
  }

  end(containerId: string): void {
    if (!this.containers.delete(containerId)) return;
    this.policy.containerEnded(containerId);
  }

  /** Ends all of an application's containers and the application. */
  finish(applicationId: string): void {
    for (const [containerId, container] of this.containers) if (container.applicationId === applicationId) this.end(containerId);
    this.policy.removeAttempt(`${applicationId.replace('application', 'appattempt')}_000001`, false);
    this.policy.removeApplication(applicationId);
  }

  containersOf(applicationId: string): string[] {
    return [...this.containers].filter(([, container]) => container.applicationId === applicationId).map(([containerId]) => containerId);
  }

  #nextContainerId(attemptId: string): string {
    const number = (this.#numbers.get(attemptId) ?? 0) + 1;
    this.#numbers.set(attemptId, number);
    return `${attemptId.replace('appattempt', 'container')}_${String(number).padStart(6, '0')}`;
  }
}
