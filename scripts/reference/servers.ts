// Every server with everything that it answers, for the pages of the reference.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMasterService } from '../../src/batch/http/service.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { type Service, serviceMade } from '../../src/http/service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type RoleName, roleModules } from '../../src/roles.ts';

/** Titles of services by their names, in the order of the pages. */
const titles = {
  'resource-manager': 'Resource manager',
  'node-manager': 'Node manager',
  timeline: 'Timeline and application history',
  reader: 'Reader of timeline version 2',
  collector: 'Collector of timeline version 2',
  history: 'History',
  proxy: 'Web proxy',
  'batch-master': 'Master of a batch job, behind the proxy',
} as const;

/** Settings with which a role starts beside anything else that runs. */
const settings: Record<string, string> = {
  'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
  'yarn.timeline-service.webapp.address': '127.0.0.1:0',
  'yarn.timeline-service.address': '127.0.0.1:0',
  'yarn.timeline-service.versions': '1.5f,2.0f',
  'yarn.timeline-service.reader.webapp.address': '127.0.0.1:0',
  'yarn.timeline-service.collector.bind-host': '127.0.0.1',
  'yarn.timeline-service.collector.bind-port-ranges': '0',
  'yarn.nodemanager.webapp.address': '127.0.0.1:0',
  'mapreduce.jobhistory.webapp.address': '127.0.0.1:0',
  'yarn.web-proxy.address': '127.0.0.1:0',
  'mapreduce.shuffle.port': '0',
};

/** Starts a role on free ports and an empty folder; gives the services that it made. */
async function servicesOf(role: RoleName): Promise<Service[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'heddle-reference-'));
  const services: Service[] = [];
  const listen = (service: unknown): void => void services.push(service as Service);
  serviceMade.subscribe(listen);
  try {
    const configuration = loadConfiguration({ dataDir, set: settings });
    const { start } = await roleModules[role]();
    const running = await start(configuration, { logger: silentLogger, clock: systemClock, random: systemRandom });
    await running.close();
    return services;
  } finally {
    serviceMade.unsubscribe(listen);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const noJob = (): never => {
  throw new Error('no job runs while the reference is written');
};

let found: Promise<{ title: string; service: Service }[]> | undefined;

async function findServers(): Promise<{ title: string; service: Service }[]> {
  const services: Service[] = [];
  for (const role of Object.keys(roleModules) as RoleName[]) services.push(...(await servicesOf(role)));
  services.push(createMasterService({ address: '127.0.0.1:0', clock: systemClock, logger: silentLogger, currentJob: noJob }));
  const order = Object.keys(titles);
  return services
    .toSorted((left, right) => order.indexOf(left.name) - order.indexOf(right.name))
    .map((service) => ({ title: titles[service.name as keyof typeof titles], service }));
}

/** All services that roles and batch masters make, with their titles; they are started once and closed. */
export const servers = (): Promise<{ title: string; service: Service }[]> => (found ??= findServers());
