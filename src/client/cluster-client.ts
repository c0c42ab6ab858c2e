// Typed calls of the resource manager's REST interface.
import type { JsonOf } from '../lib/json-shape.ts';
import type { Adjustment } from '../wire/cluster/adjustment.ts';
import type { ApplicationInfo } from '../wire/cluster/application.ts';
import type { AttemptInList, ContainerInfo } from '../wire/cluster/attempt.ts';
import type { ClusterInfo, ClusterMetrics } from '../wire/cluster/cluster-info.ts';
import type { ApplicationExplanation } from '../wire/cluster/explanation.ts';
import type { NodeInfo } from '../wire/cluster/node.ts';
import type { ApplicationLife, ClusterUsage, JobFolders, SubmittedApplication } from '../wire/cluster/own-answers.ts';
import type { Schedule, ScheduleCreation, schedules } from '../wire/cluster/schedules.ts';
import type { PlainSubmission, SubmissionContext } from '../wire/cluster/submission.ts';
import type { SubmittedContext } from '../wire/cluster/submitted.ts';
import type { TriedSubmission } from '../wire/cluster/tried-submission.ts';
import type { madeWebhook, WebhookCreation, webhook, webhookDetail } from '../wire/cluster/webhooks.ts';
import type { ContainerUsage } from '../wire/node/usage.ts';
import { HttpClient, type HttpClientOptions } from './http.ts';
import { RemoteFailure } from './remote-failure.ts';

/** Filters of the list of applications. */
export interface ApplicationFilters {
  readonly states?: string;
  readonly finalStatus?: string;
  readonly user?: string;
  readonly queue?: string;
  readonly limit?: number;
  readonly applicationTypes?: string;
  readonly applicationTags?: string;
  readonly name?: string;
}

/** What a node became. */
export interface NodeChange {
  readonly nodeId: string;
  readonly state: string;
}

/** A queue of any scheduler; members differ by scheduler. */
export interface QueueInfo {
  readonly queueName?: string;
  readonly queuePath?: string;
  readonly state?: string;
  readonly capacity?: number;
  readonly usedCapacity?: number;
  readonly maxCapacity?: number;
  readonly absoluteCapacity?: number;
  readonly absoluteUsedCapacity?: number;
  readonly numApplications?: number;
  readonly numActiveApps?: number;
  readonly numPendingApps?: number;
  readonly numContainers?: number;
  readonly resourcesUsed?: { readonly memory?: number; readonly vCores?: number };
  readonly usedResources?: unknown;
  readonly queues?: { readonly queue?: readonly QueueInfo[] };
  readonly childQueues?: { readonly queue?: readonly QueueInfo[] };
  readonly [member: string]: unknown;
}

const base = '/ws/v1/cluster';
const part = encodeURIComponent;

/** One element or many, as Hadoop's mapped JSON collapses lists. */
export function many<Item>(value: Item | readonly Item[] | null | undefined): readonly Item[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value as Item];
}

/** A host and its attributes. */
export interface HostAttributes {
  readonly host: string;
  readonly attributes: readonly { readonly prefix: string; readonly name: string; readonly type: string; readonly value: string }[];
}

/** A bearer token that is asked for. */
export interface WantedToken {
  readonly name: string;
  readonly scope: 'read' | 'submit' | 'admin';
  /** Queues that it reaches, with those below them; absent: all. */
  readonly queues?: readonly string[] | undefined;
  readonly lifetimeSeconds?: number | undefined;
}

/** A bearer token, as it is listed. Times are ms since the epoch. */
export interface TokenInfo {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly scope: string;
  readonly queues?: readonly string[];
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly lastUsedMs?: number;
  /** Whether its maker had proved who they are; one made for a mere name counts only while names are believed. */
  readonly proved: boolean;
}

/** An event of the cluster; members besides these differ by kind. */
export interface EventInfo {
  readonly id: string;
  /** Such as `application.finished`. */
  readonly kind: string;
  /** ms since the epoch. */
  readonly time: number;
  readonly applicationId?: string;
  readonly attemptId?: string;
  readonly containerId?: string;
  readonly nodeId?: string;
  readonly user?: string;
  readonly queue?: string;
  readonly [member: string]: unknown;
}

/** A webhook and how it fares. Times are ms since the epoch. */
export type WebhookInfo = JsonOf<typeof webhook>;

/** Some events, and where to go on. */
export interface EventSlice {
  readonly events: readonly EventInfo[];
  readonly next: string;
  /** Whether events before these, and after the place that was asked for, are forgotten. */
  readonly missed: boolean;
}

/** Calls the resource manager. All methods throw Unreachable and RemoteFailure. */
export class ClusterClient {
  readonly http: HttpClient;

  constructor(options: HttpClientOptions) {
    this.http = new HttpClient(options);
  }

  async info(): Promise<ClusterInfo> {
    return (await this.http.json<{ clusterInfo: ClusterInfo }>('GET', `${base}/info`)).clusterInfo;
  }

  async applications(filters: ApplicationFilters = {}): Promise<readonly ApplicationInfo[]> {
    const { apps } = await this.http.json<{ apps: { app?: ApplicationInfo[] } | null }>('GET', `${base}/apps`, { query: { ...filters } });
    return many(apps?.app);
  }

  async application(id: string): Promise<ApplicationInfo> {
    return (await this.http.json<{ app: ApplicationInfo }>('GET', `${base}/apps/${part(id)}`)).app;
  }

  /** Why it and its requests wait. */
  async explain(id: string): Promise<ApplicationExplanation> {
    return this.http.json<ApplicationExplanation>('GET', `/api/v1/applications/${part(id)}/explain`);
  }

  /** Its attempts, and its containers as far as they live or ended within the hour. */
  async life(id: string): Promise<ApplicationLife> {
    return this.http.json<ApplicationLife>('GET', `/api/v1/applications/${part(id)}/life`);
  }

  /** What it was submitted with, without secrets. */
  async submission(id: string): Promise<SubmittedContext> {
    return this.http.json<SubmittedContext>('GET', `/api/v1/applications/${part(id)}/submission`);
  }

  /** What a container that runs used over the last minutes, oldest first. */
  async containerUsage(id: string): Promise<ContainerUsage> {
    return this.http.json<ContainerUsage>('GET', `/api/v1/containers/${part(id)}/usage`);
  }

  /** Events after `from` (an id, `now` or `oldest`); comes after `wait` ms at the latest, sooner where there are some. */
  async events(query: {
    readonly from: string;
    readonly wait: number;
    readonly [filter: string]: string | number | undefined;
  }): Promise<EventSlice> {
    return this.http.json<EventSlice>('GET', '/api/v1/events', { query });
  }

  async attempts(id: string): Promise<readonly AttemptInList[]> {
    const { appAttempts } = await this.http.json<{ appAttempts: { appAttempt?: AttemptInList[] } | null }>(
      'GET',
      `${base}/apps/${part(id)}/appattempts`,
    );
    return many(appAttempts?.appAttempt);
  }

  /** Containers of an attempt that the resource manager still knows. */
  async containers(id: string, attemptId: string): Promise<readonly ContainerInfo[]> {
    const answer = await this.http.json<{ containers?: { container?: ContainerInfo[] } | null; container?: ContainerInfo[] }>(
      'GET',
      `${base}/apps/${part(id)}/appattempts/${part(attemptId)}/containers`,
    );
    return many(answer.containers?.container ?? answer.container);
  }

  /** Asks for an end; resolves with the state it then has. */
  async kill(id: string): Promise<string> {
    return (await this.http.json<{ state: string }>('PUT', `${base}/apps/${part(id)}/state`, { body: { state: 'KILLED' } })).state;
  }

  async newApplication(): Promise<string> {
    return (await this.newApplicationWithLargest()).id;
  }

  /** An id, and the largest container that the cluster gives. */
  async newApplicationWithLargest(): Promise<{
    readonly id: string;
    readonly largest: { readonly memoryMiB: number; readonly vcores: number };
  }> {
    const answer = await this.http.json<{ 'application-id': string; 'maximum-resource-capability'?: { memory?: number; vCores?: number } }>(
      'POST',
      `${base}/apps/new-application`,
    );
    const { memory = Number.MAX_SAFE_INTEGER, vCores = Number.MAX_SAFE_INTEGER } = answer['maximum-resource-capability'] ?? {};
    return { id: answer['application-id'], largest: { memoryMiB: memory, vcores: vCores } };
  }

  /**
   * Submits; what is absent from the context stays unset, as in Hadoop's own client protocol. Resolves with what it was given otherwise than was
   * asked for.
   */
  async submit(context: SubmissionContext | PlainSubmission): Promise<readonly Adjustment[]> {
    // A resource manager of an earlier release says nothing of it.
    const submitted = await this.http.json<Partial<SubmittedApplication> | undefined>('POST', '/api/v1/applications', { body: context });
    return submitted?.adjusted ?? [];
  }

  /** What a submission would come to; nothing is submitted. `admission`: only whether it would be refused. */
  async trySubmission(context: SubmissionContext | PlainSubmission, depth: 'true' | 'admission' = 'true'): Promise<TriedSubmission> {
    return this.http.json('POST', '/api/v1/applications', { query: { dryRun: depth }, body: context });
  }

  /** Where its batch jobs are staged, and whether their access lists count; undefined: a resource manager of an earlier release does not say. */
  async jobFolders(): Promise<JobFolders | undefined> {
    return this.http.json<JobFolders>('GET', '/api/v1/job-folders').catch((error: unknown) => {
      if (error instanceof RemoteFailure && error.status === 404) return undefined;
      throw error;
    });
  }

  async nodes(states?: string): Promise<readonly NodeInfo[]> {
    const { nodes } = await this.http.json<{ nodes: { node?: NodeInfo[] } | null }>('GET', `${base}/nodes`, { query: { states } });
    return many(nodes?.node);
  }

  async node(id: string): Promise<NodeInfo> {
    return (await this.http.json<{ node: NodeInfo }>('GET', `${base}/nodes/${part(id)}`)).node;
  }

  /** The scheduler's kind and its queues, the root or roots first. */
  async scheduler(): Promise<{ readonly type: string; readonly queues: readonly QueueInfo[] }> {
    const { scheduler } = await this.http.json<{ scheduler: { schedulerInfo: QueueInfo & { type?: string; rootQueue?: QueueInfo } } }>(
      'GET',
      `${base}/scheduler`,
    );
    const { schedulerInfo } = scheduler;
    return { type: schedulerInfo.type ?? 'unknown', queues: [schedulerInfo.rootQueue ?? schedulerInfo] };
  }

  /** Has the administrators, the proxy users and the groups of users read again. */
  async refreshAccess(): Promise<{ administrators: string }> {
    return this.http.json('POST', '/api/v1/access/refresh');
  }

  /** Reads the queue file again; `from` says what the queues come from now. */
  async refreshQueues(): Promise<{ scheduler: string; from: 'file' | 'store' | 'none'; file?: string }> {
    return (await this.http.json('POST', '/api/v1/queues/refresh')) as {
      scheduler: string;
      from: 'file' | 'store' | 'none';
      file?: string;
    };
  }

  /** Reads `dynamic-resources.xml` again. Resolves with the ids of the nodes that were changed. */
  async refreshNodeResources(): Promise<readonly string[]> {
    return (await this.http.json<{ changed: string[] }>('POST', '/api/v1/nodes/refresh-resources')).changed;
  }

  /** Hosts with their attributes. */
  async nodeAttributes(): Promise<readonly HostAttributes[]> {
    return (await this.http.json<{ nodes: HostAttributes[] }>('GET', '/api/v1/node-attributes/nodes')).nodes;
  }

  /** Gives attributes to a host, replaces or removes them. */
  async mapNodeAttributes(
    operation: 'replace' | 'add' | 'remove',
    host: string,
    attributes: readonly { readonly name: string; readonly value?: string }[],
  ): Promise<void> {
    await this.http.json('POST', '/api/v1/node-attributes', { body: { operation, nodes: [{ host, attributes }] } });
  }

  /** Reads the include and exclude files again; with a time, nodes that must go may finish their work. */
  refreshNodes(graceful?: number | boolean): Promise<{ readonly changed: readonly NodeChange[] }> {
    return this.http.json('POST', '/api/v1/nodes/refresh', { body: gracefulBody(graceful) });
  }

  /** Lets a node finish its applications and leave. */
  drainNode(id: string, seconds?: number): Promise<NodeChange> {
    return this.http.json('POST', `/api/v1/nodes/${encodeURIComponent(id)}/drain`, { body: gracefulBody(seconds) });
  }

  /** Undoes `drainNode`. */
  resumeNode(id: string): Promise<NodeChange> {
    return this.http.json('POST', `/api/v1/nodes/${encodeURIComponent(id)}/resume`, { body: {} });
  }

  /** Changes what a node offers, by names of resource types (`memory-mb` in MiB), until it registers anew. */
  async resizeNode(id: string, amounts: Readonly<Record<string, number>>, overCommitTimeoutMs: number): Promise<void> {
    const resourceInformation = Object.entries(amounts).map(([name, value]) => ({ name, value }));
    const resource = {
      memory: amounts['memory-mb'],
      vCores: amounts['vcores'],
      resourceInformations: { resourceInformation },
    };
    await this.http.json('POST', `${base}/nodes/${part(id)}/resource`, { body: { resource, overCommitTimeout: overCommitTimeoutMs } });
  }

  /** The groups that a user is in, as the resource manager finds them. */
  async groups(user: string): Promise<readonly string[]> {
    return (await this.http.json<{ groups: string[] }>('GET', `/api/v1/users/${part(user)}/groups`)).groups;
  }

  /** Numbers of the cluster. */
  async metrics(): Promise<ClusterMetrics> {
    return (await this.http.json<{ clusterMetrics: ClusterMetrics }>('GET', `${base}/metrics`)).clusterMetrics;
  }

  /** What is given, asked for and there at this moment, nodes with labels included, and what the machines really use. */
  async usage(): Promise<ClusterUsage> {
    return this.http.json<ClusterUsage>('GET', '/api/v1/usage', { query: { span: 'now' } });
  }

  /** Makes a bearer token of the caller's; its text is in the answer and nowhere else. */
  async createToken(asked: WantedToken): Promise<TokenInfo & { readonly text: string }> {
    return this.http.json<TokenInfo & { readonly text: string }>('POST', '/api/v1/tokens', { body: asked });
  }

  /** Bearer tokens of the caller's, or of everybody. */
  async tokens(all = false): Promise<readonly TokenInfo[]> {
    return (await this.http.json<{ tokens: TokenInfo[] }>('GET', '/api/v1/tokens', { query: all ? { all } : {} })).tokens;
  }

  /** Has events sent to an address; the secret is in the answer and nowhere else. */
  async createWebhook(asked: WebhookCreation): Promise<JsonOf<typeof madeWebhook>> {
    return this.http.json<JsonOf<typeof madeWebhook>>('POST', '/api/v1/webhooks', { body: asked });
  }

  /** Makes a schedule. */
  async createSchedule(asked: ScheduleCreation): Promise<Schedule> {
    return this.http.json('POST', '/api/v1/schedules', { body: asked });
  }

  /** Your schedules, or those of everybody. */
  async schedules(all = false): Promise<readonly Schedule[]> {
    return (await this.http.json<JsonOf<typeof schedules>>('GET', '/api/v1/schedules', { query: all ? { all } : {} })).schedules;
  }

  /** One schedule; `action`: stops it, lets it go on, removes it, or submits it now. */
  async schedule<Answer = Schedule>(user: string, name: string, action: '' | 'pause' | 'resume' | 'run' | 'remove' = ''): Promise<Answer> {
    const method = action === '' ? 'GET' : action === 'remove' ? 'DELETE' : 'POST';
    const path = `/api/v1/schedules/${part(user)}/${part(name)}`;
    return this.http.json(method, method === 'POST' ? `${path}/${action}` : path);
  }

  /** Webhooks of the caller's, or of everybody. */
  async webhooks(all = false): Promise<readonly WebhookInfo[]> {
    return (await this.http.json<{ webhooks: WebhookInfo[] }>('GET', '/api/v1/webhooks', { query: all ? { all } : {} })).webhooks;
  }

  /** A webhook with the events that were given up for it. */
  async webhook(id: string): Promise<JsonOf<typeof webhookDetail>> {
    return this.http.json<JsonOf<typeof webhookDetail>>('GET', `/api/v1/webhooks/${part(id)}`);
  }

  /** Removes a webhook. */
  async removeWebhook(id: string): Promise<{ readonly removed: string }> {
    return this.http.json<{ removed: string }>('DELETE', `/api/v1/webhooks/${part(id)}`);
  }

  /** Sends events again that were given up: those deliveries, or all. */
  async redeliver(id: string, deliveries: readonly number[] | undefined): Promise<{ readonly redelivered: number }> {
    return this.http.json<{ redelivered: number }>('POST', `/api/v1/webhooks/${part(id)}/redeliver`, { body: { deliveries } });
  }

  /** Revokes a bearer token, by its id or its name. */
  async revokeToken(token: string): Promise<TokenInfo> {
    return this.http.json<TokenInfo>('DELETE', `/api/v1/tokens/${part(token)}`);
  }
}

/** `true`: the time of the settings; a number: so many seconds; nothing: at once. */
const gracefulBody = (graceful: number | boolean | undefined) =>
  typeof graceful === 'number' ? { gracefulSeconds: graceful } : graceful ? { graceful } : {};
