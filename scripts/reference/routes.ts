import { channel } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { loadConfiguration } from '../../src/config/load.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type RoleName, roleModules } from '../../src/roles.ts';
import { pageHead, table } from './markdown.ts';

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

/** Starts a role on a free port and an empty folder, and asks each path which methods it takes. */
async function routesOf(role: RoleName): Promise<[method: string, path: string][]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'heddle-reference-'));
  const paths: { app: FastifyInstance; path: string }[] = [];
  const listen = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ url }) => void paths.push({ app: fastify, path: url }));
  };
  const opened = channel('fastify.initialization');
  opened.subscribe(listen);
  try {
    const configuration = loadConfiguration({ dataDir, set: settings });
    const { start } = await roleModules[role]();
    const running = await start(configuration, { logger: silentLogger, clock: systemClock, random: systemRandom });
    try {
      const found = new Map<string, [string, string]>();
      for (const { app, path } of paths) {
        const answer = await app.inject({ method: 'OPTIONS', url: path.replace('/*', '/x') });
        for (const method of String(answer.headers.allow ?? '').split(',')) {
          if (method && method !== 'OPTIONS' && method !== 'HEAD') found.set(`${path} ${method}`, [method, path]);
        }
      }
      return [...found.entries()].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, route]) => route);
    } finally {
      await running.close();
    }
  } finally {
    opened.unsubscribe(listen);
    rmSync(dataDir, { recursive: true, force: true });
  }
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
    parts.push(
      `## ${titles[role]}\n`,
      table(
        ['method', 'path'],
        routes.map(([method, path]) => [method, `\`${path}\``]),
      ),
    );
  }
  return parts.join('\n');
}
