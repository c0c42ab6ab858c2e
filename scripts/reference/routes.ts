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
import { cell, code, pageHead, table } from './markdown.ts';

const titles: Record<RoleName, string> = {
  'resource-manager': 'Resource manager',
  'node-manager': 'Node manager',
  timeline: 'Timeline and application history',
  history: 'History',
  proxy: 'Web proxy',
};

/** Settings with which a role starts beside anything else that runs. */
const settings: Record<string, string> = {
  'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
  'yarn.timeline-service.webapp.address': '127.0.0.1:0',
  'yarn.timeline-service.reader.webapp.address': '127.0.0.1:0',
  'yarn.timeline-service.collector.bind-port-ranges': '0',
  'yarn.nodemanager.webapp.address': '127.0.0.1:0',
  'mapreduce.jobhistory.webapp.address': '127.0.0.1:0',
  'yarn.web-proxy.address': '127.0.0.1:0',
  'mapreduce.shuffle.port': '0',
};

type Row = readonly [method: string, path: string, about: string];

/** The routes of services by path; methods with the same meaning share a line. */
function rowsOf(services: readonly Service[]): Row[] {
  const methods = new Map<string, { path: string; about: string; names: string[] }>();
  for (const { method, path, about = '' } of services.flatMap(({ routes }) => routes)) {
    const key = `${path} ${about}`;
    const line = methods.get(key) ?? { path, about, names: [] };
    methods.set(key, line);
    line.names.push(method);
  }
  return [...methods.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { path, about, names }]): Row => [names.sort().join(', '), path, about]);
}

/** Starts a role on free ports and an empty folder, and looks at the routes of its services. */
async function routesOf(role: RoleName): Promise<Row[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'heddle-reference-'));
  const services: Service[] = [];
  const listen = (service: unknown): void => void services.push(service as Service);
  serviceMade.subscribe(listen);
  try {
    const configuration = loadConfiguration({ dataDir, set: settings });
    const { start } = await roleModules[role]();
    const running = await start(configuration, { logger: silentLogger, clock: systemClock, random: systemRandom });
    await running.close();
    return rowsOf(services);
  } finally {
    serviceMade.unsubscribe(listen);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function routeTable(rows: readonly Row[]): string {
  return table(
    ['method', 'path', 'meaning'],
    rows.map(([method, path, about]) => [method, code(path), cell(about)]),
  );
}

/** Every path of every server with its methods. */
export async function routesPage(): Promise<string> {
  const parts = [
    pageHead(
      'Routes',
      '`:name` stands for one part of a path, `*` for the rest. Every path also answers OPTIONS, and HEAD where it answers GET. What lies under\n`/ws/v1`, `/ws/v2` and `/proxy` is what YARN has there; what Heddle adds lies under `/api/v1`.',
    ),
  ];
  for (const role of Object.keys(titles) as RoleName[]) {
    const routes = await routesOf(role);
    parts.push(`## ${titles[role]}\n`, routeTable(routes));
  }
  const master = createMasterService({
    address: '127.0.0.1:0',
    clock: systemClock,
    logger: silentLogger,
    currentJob: () => {
      throw new Error('no job runs while the reference is written');
    },
  });
  parts.push('## Master of a batch job, behind the proxy\n', routeTable(rowsOf([master])));
  return parts.join('\n');
}
