// What tests of a whole timeline server share: a server on free ports with a data folder of its own, calls of it, what the resource manager tells it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeliveryQueue } from '../../client/delivery-queue.ts';
import { SystemMetricsPublisher } from '../../client/system-metrics-publisher.ts';
import { sendEntities, sendSystemWrites } from '../../client/timeline-client.ts';
import { loadConfiguration } from '../../config/load.ts';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import type { TimelineEntity } from '../../wire/timeline/entity.ts';
import type { SystemWrite } from '../../wire/timeline/v2-entity.ts';
import { start } from '../server.ts';

/** Settings of a server of both versions, each of its ports a free one. */
export const bothVersions: Readonly<Record<string, string>> = {
  'yarn.timeline-service.webapp.address': '127.0.0.1:0',
  'yarn.timeline-service.address': '127.0.0.1:0',
  'yarn.timeline-service.reader.webapp.address': '127.0.0.1:0',
  'yarn.timeline-service.collector.bind-port-ranges': '0',
  'yarn.timeline-service.versions': '1.0f,2.0f',
};

/** An application with one container, as the resource manager tells of them. */
export const toldApplication = {
  applicationId: 'application_1795000000000_0001',
  attemptId: 'appattempt_1795000000000_0001_000001',
  containerId: 'container_1795000000000_0001_01_000001',
} as const;

/** A server whose administrator `boss` also writes for the system. */
export class TimelineWorld {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'heddle-timeline-'));
  readonly clock = new ManualClock(1_795_000_000_000);
  #role: RunningRole | undefined;

  get role(): RunningRole {
    if (!this.#role) throw new Error('the timeline was not started');
    return this.#role;
  }

  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const set = { ...bothVersions, 'yarn.admin.acl': 'boss', 'heddle.timeline.system-writers': 'boss', ...settings };
    this.#role = await start(loadConfiguration({ dataDir: this.dataDir, set }), {
      logger: silentLogger,
      clock: this.clock,
      random: systemRandom,
    });
  }

  /** Asks one of its servers (`web`, `reader`, `collector`) as a user. */
  async call(server: string, method: string, path: string, body?: unknown, user = 'boss'): Promise<{ status: number; text: string }> {
    const url = new URL(`${this.role.addresses[server]}${path}`);
    url.searchParams.set('user.name', user);
    const answer = await fetch(url, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  /** What tells it of applications, and a wait until it was told everything. */
  publishing(): { publisher: SystemMetricsPublisher; flush: () => Promise<void> } {
    const target = { url: this.role.addresses['web'] ?? '', user: 'boss', logger: silentLogger };
    const queue = <Message>(name: string, send: typeof sendEntities) =>
      new DeliveryQueue<Message>({
        name,
        clock: systemClock,
        logger: silentLogger,
        send: (messages) => send(target, messages.map((message) => JSON.stringify(message)).join(',')),
      });
    const version1 = queue<TimelineEntity>('version 1', sendEntities);
    const version2 = queue<SystemWrite>('version 2', sendSystemWrites);
    return {
      publisher: new SystemMetricsPublisher({ version1, version2, containers: true }),
      flush: async () => void (await Promise.all([version1.idle(), version2.idle()])),
    };
  }

  /** Tells of `toldApplication`, an application of `ann` in run 7 of a flow, and of its container, as created now. */
  created(publisher: SystemMetricsPublisher, flow: string): void {
    const { applicationId, attemptId, containerId } = toldApplication;
    const at = this.clock.now();
    publisher.applicationCreated({
      applicationId,
      name: 'job',
      type: 'TEST',
      user: 'ann',
      queue: 'root.default',
      submittedTimeMs: at,
      createdTimeMs: at,
      tags: [`timeline_flow_name_tag:${flow}`, 'timeline_flow_run_id_tag:7', 'timeline_flow_version_tag:3'],
      unmanaged: false,
      priority: 0,
      launchCommands: ['run'],
    });
    publisher.containerCreated({
      containerId,
      attemptId,
      createdTimeMs: at,
      memoryMiB: 1,
      vcores: 1,
      host: 'n',
      port: 1,
      priority: 0,
      nodeHttpAddress: 'http://n:2',
    });
  }

  async close(): Promise<void> {
    await this.#role?.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
