// Those who use a storm's cluster: they submit, kill, publish and run masters, and ask for everything again at the end.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { MasterClient } from '../../src/client/master-client.ts';
import type { Random } from '../../src/lib/random.ts';
import { Account, type ShownApplication } from './account.ts';
import type { StormCluster } from './storm-cluster.ts';
import { StormMaster } from './storm-master.ts';

const callLimitMs = 20_000;
const submitLimitMs = 300_000;
const attemptLimitMs = 180_000;
const piecesOfMaster = 40;
const entityType = 'STORM';

/** Those who use the cluster meanwhile. */
export class Clients {
  readonly account = new Account();
  /** What ended a master or kept one from being there. */
  readonly troubles: string[] = [];
  readonly #masters = new Set<StormMaster>();
  #keys = 0;
  readonly #cluster: StormCluster;
  readonly #random: Random;
  readonly #script: string;

  constructor(cluster: StormCluster, random: Random, script: string) {
    this.#cluster = cluster;
    this.#random = random;
    this.#script = script;
  }

  /** Undefined where no answer came. */
  async #call<T>(
    method: string,
    path: string,
    body?: object,
    { base = this.#cluster.url, headers = {} }: { base?: string; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; body: T | undefined } | undefined> {
    try {
      const answer = await fetch(`${base}${path}${path.includes('?') ? '&' : '?'}user.name=root`, {
        method,
        signal: AbortSignal.timeout(callLimitMs),
        ...(body
          ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json', accept: 'application/json', ...headers } }
          : {}),
      });
      const text = await answer.text();
      return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as T) : undefined };
    } catch {
      return undefined;
    }
  }

  /** Submits until it is answered with 202, the same id again and again: one that is given up may have been taken. */
  async #submit(more: object): Promise<string> {
    const id = await this.#newId();
    const endMs = Date.now() + submitLimitMs;
    for (;;) {
      const answer = await this.#call('POST', '/ws/v1/cluster/apps', {
        'application-id': id,
        'application-name': 'storm',
        'application-type': entityType,
        resource: { memory: 128, vCores: 1 },
        ...more,
      });
      if (answer?.status === 202) break;
      if (Date.now() > endMs) throw new Error(`${id} is not taken: ${answer?.status}`);
      await sleep(100);
    }
    this.account.accepted(id);
    return id;
  }

  /** Submits under a key until it is answered with 202, and sometimes once more: it is known, or was never taken. */
  async #submitUnderKey(more: object): Promise<string> {
    const key = `storm-${++this.#keys}`;
    const body = { 'application-name': key, 'application-type': entityType, resource: { memory: 128, vCores: 1 }, ...more };
    const endMs = Date.now() + submitLimitMs;
    for (let id: string | undefined; ; await sleep(100)) {
      const answer = await this.#call<{ id: string }>('POST', '/api/v1/applications', body, { headers: { 'idempotency-key': key } });
      if (answer?.status === 202 && answer.body) {
        this.account.keyed(key, answer.body.id);
        if (id !== undefined || this.#random.int(2) === 0) return answer.body.id;
        id = answer.body.id;
      } else if (Date.now() > endMs) throw new Error(`the submission under ${key} is not taken: ${answer?.status}`);
    }
  }

  /** Has a webhook told of every end, to a server here. Resolves to how it is closed. */
  async listen(host: string): Promise<() => void> {
    const server = createServer((request, answer) => {
      text(request).then(
        (body) => {
          this.account.heardEnd((JSON.parse(body) as { applicationId: string }).applicationId);
          answer.end();
        },
        () => answer.destroy(),
      );
    });
    server.listen(0, host);
    await once(server, 'listening');
    const url = `http://${host}:${(server.address() as AddressInfo).port}/`;
    const made = await this.#call('POST', '/api/v1/webhooks', { url, kinds: ['application.finished'] });
    if (made === undefined || made.status >= 300) throw new Error(`the webhook is not made: ${made?.status} ${JSON.stringify(made?.body)}`);
    return () => void server.close().closeAllConnections();
  }

  /** Accepted applications whose end the webhook was not told of, once all were or the time is over. */
  async untoldToWebhook(limitMs: number): Promise<string[]> {
    const endMs = Date.now() + limitMs;
    while (this.account.unheard.length > 0 && Date.now() < endMs) await sleep(500);
    return this.account.unheard.map((id) => `the webhook was not told of the end of ${id}`);
  }

  async #newId(): Promise<string> {
    for (;;) {
      const fresh = await this.#call<{ 'application-id': string }>('POST', '/ws/v1/cluster/apps/new-application', {});
      const id = fresh?.body?.['application-id'];
      if (id !== undefined) return id;
      await sleep(100);
    }
  }

  /** Small applications of one command; some are killed. */
  async submitUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const command = `${this.#script} - ${[0, 0.2, 2][this.#random.int(3)]} ${this.#random.int(2)}`;
      const wanted = { 'max-app-attempts': 1 + this.#random.int(2), 'am-container-spec': { commands: { command } } };
      const id = await (this.#random.int(2) === 0 ? this.#submit(wanted) : this.#submitUnderKey(wanted));
      if (this.#random.int(5) === 0) {
        const killed = await this.#call<{ state: string }>('PUT', `/ws/v1/cluster/apps/${id}/state`, { state: 'KILLED' });
        if (killed?.status === 200 && killed.body?.state === 'KILLED') this.account.killed(id);
      }
      await this.#publish(id);
      await sleep(this.#random.int(800));
    }
  }

  /** An entity of a program's own; one that is not taken is given up. */
  async #publish(entity: string): Promise<void> {
    const entities = [{ entitytype: entityType, entity, starttime: Date.now() }];
    const answer = await this.#call<{ errors?: object[] }>('POST', '/ws/v1/timeline', { entities }, { base: this.#cluster.timelineUrl });
    if (answer?.status === 200 && (answer.body?.errors ?? []).length === 0) this.account.published(entity);
  }

  /** One master after the other; one that fails is noted. */
  async masterUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const id = await this.#submit({ 'unmanaged-AM': true, 'max-app-attempts': 1, 'am-container-spec': {} });
      const found = await this.#masterOf(id);
      if (!found) {
        this.troubles.push(`${id} got no attempt within ${attemptLimitMs} ms`);
        continue;
      }
      const client = new MasterClient({ resourceManager: this.#cluster.url, attemptId: found.attemptId, token: found.token });
      const master = new StormMaster(id, client, this.account, this.#random, this.#script, piecesOfMaster);
      this.#cluster.masters.add(master);
      this.#masters.add(master);
      try {
        await master.run(isOver);
        this.#masters.delete(master);
      } catch (error) {
        this.troubles.push(`the master of ${id}: ${error}`);
      } finally {
        this.#cluster.masters.delete(master);
      }
    }
  }

  async #masterOf(id: string): Promise<{ attemptId: string; token: string } | undefined> {
    const endMs = Date.now() + attemptLimitMs;
    while (Date.now() < endMs) {
      const found = await this.#call<{ attemptId: string; token: string }>('GET', `/api/v1/applications/${id}/master`);
      if (found?.status === 200 && found.body) return found.body;
      await sleep(100);
    }
    return undefined;
  }

  /** Waits until everybody's work is done; resolves to what is still waited for after so long, ms. */
  async rest(work: readonly Promise<void>[], limitMs: number): Promise<string[]> {
    const limit = new AbortController();
    const timeUp = sleep(limitMs, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(work), timeUp]);
    limit.abort();
    return [...this.#masters].flatMap((master) => master.waitsFor.map((askId) => `${master.applicationId} waits for ${askId}`));
  }

  /** Every application, once all that were accepted have ended or the time is over. */
  async ended(limitMs: number): Promise<Map<string, ShownApplication>> {
    const endMs = Date.now() + limitMs;
    for (;;) {
      const listed = await this.#call<{ apps: { app?: { id: string; name: string; state: string; finalStatus: string }[] } | null }>(
        'GET',
        '/ws/v1/cluster/apps',
      );
      const shown = new Map(
        (listed?.body?.apps?.app ?? []).map(({ id, name, state, finalStatus }) => [id, { name, end: `${state} ${finalStatus}` }]),
      );
      const open = [...this.account.applications.keys()].some((id) => !/^(FINISHED|FAILED|KILLED) /.test(shown.get(id)?.end ?? ''));
      if (!open || Date.now() > endMs) return shown;
      await sleep(500);
    }
  }

  /** What application history and timeline do not show as it was acknowledged. */
  async missingInHistory(shown: ReadonlyMap<string, ShownApplication>, limitMs: number): Promise<string[]> {
    const { timelineUrl } = this.#cluster;
    const endMs = Date.now() + limitMs;
    const ends = new Map([...shown].filter(([id]) => this.account.applications.has(id)));
    const entities = new Set(this.account.entities);
    for (;;) {
      for (const [id, { end }] of ends) {
        const found = await this.#call<{ appState: string }>('GET', `/ws/v1/applicationhistory/apps/${id}`, undefined, {
          base: timelineUrl,
        });
        if (found?.status === 200 && end.startsWith(`${found.body?.appState} `)) ends.delete(id);
      }
      for (const entity of entities) {
        const found = await this.#call('GET', `/ws/v1/timeline/${entityType}/${entity}`, undefined, { base: timelineUrl });
        if (found?.status === 200) entities.delete(entity);
      }
      if (ends.size + entities.size === 0 || Date.now() > endMs)
        return [
          ...[...ends].map(([id, { end }]) => `${id} is not ${end} in the history`),
          ...[...entities].map((entity) => `the entity ${entity} is not in the timeline`),
        ];
      await sleep(1000);
    }
  }

  /** Nodes that were resumed, or never left, and do not run. */
  async missingNodes(count: number, limitMs: number): Promise<string[]> {
    const endMs = Date.now() + limitMs;
    for (;;) {
      const listed = await this.#call<{ nodes: { node?: { id: string; state: string }[] } | null }>(
        'GET',
        '/ws/v1/cluster/nodes?states=NEW,RUNNING,UNHEALTHY,DECOMMISSIONING,DECOMMISSIONED,LOST,REBOOTED,SHUTDOWN',
      );
      const nodes = listed?.body?.nodes?.node ?? [];
      const away = nodes.filter(({ state }) => state !== 'RUNNING').map(({ id, state }) => `${id} is ${state}`);
      if (away.length === 0 && nodes.length === count) return [];
      if (Date.now() > endMs) return away.length > 0 ? away : [`${nodes.length} of ${count} nodes are there`];
      await sleep(500);
    }
  }
}
