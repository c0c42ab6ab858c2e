// A resource manager and its nodes for one batch master: the master protocol over HTTP, containers at once, each a task run in this process.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attemptKey, attemptOfIdentity } from '../../auth/connection-key.ts';
import { digestOfSecret } from '../../auth/secrets.ts';
import { ProvenConnections } from '../../http/proven-connections.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { pause } from '../../lib/pause.ts';
import { completeLaunch, type LaunchContext } from '../../wire/cluster/launch-context.ts';
import type { AllocateRequest, AllocateResponse, FinishRequest } from '../../wire/cluster/master-protocol.ts';
import { shuffleService } from '../shuffle/protocol.ts';
import { ShuffleService } from '../shuffle/shuffle-service.ts';
import { runTask } from '../tasks/run-task.ts';
import { connectUmbilical } from '../tasks/umbilical-client.ts';
import { applicationId } from './a-job.ts';

export interface ManagerFixture extends AsyncDisposable {
  readonly url: string;
  readonly registrations: Record<string, unknown>[];
  readonly finished: FinishRequest[];
  /** Attempts of tasks that ran in containers, in the order of their starts. */
  readonly ran: string[];
  /** Launch contexts that came with the asks. */
  readonly launches: LaunchContext[];
}

/** The token of every attempt. */
export const managerToken = 'token';

const resource = { memoryMiB: 8192, vcores: 8 };

async function bodyOf<T>(request: IncomingMessage): Promise<T> {
  return JSON.parse(Buffer.concat(await request.toArray()).toString()) as T;
}

/** What a node does with a container: runs the one task that its master has for it, until it is released. */
async function runContainer(
  containerId: string,
  { launch, released }: { launch: LaunchContext; released: AbortSignal },
  localFolder: string,
  ran: string[],
): Promise<number> {
  const { HEDDLE_JOB_ID: jobId, HEDDLE_JOB_MASTER: master } = launch.environment;
  const token = launch.secretEnvironment!['HEDDLE_JOB_TOKEN']!;
  const umbilical = connectUmbilical(master!, token);
  released.addEventListener('abort', () => umbilical.close());
  try {
    const assignment = await umbilical.task({ containerId });
    if (!assignment) return 0;
    ran.push(assignment.attemptId);
    const options = { jobId: jobId!, assignment, umbilical, token: Buffer.from(token, 'base64url'), clock: systemClock, localFolder };
    return (await runTask(options)) ? 0 : 1;
  } catch {
    return 1;
  } finally {
    umbilical.close();
  }
}

/** Starts the manager, which knows no labels; `folder` is the local disk of its one node. */
export async function startManager(folder: string): Promise<ManagerFixture> {
  const registrations: Record<string, unknown>[] = [];
  const finished: FinishRequest[] = [];
  const ran: string[] = [];
  const launches: LaunchContext[] = [];
  const completed: AllocateResponse['completed'][number][] = [];
  const shuffle = new ShuffleService({
    applicationFolders: () => [folder],
    stateFolder: `${folder}/shuffle-state`,
    clock: systemClock,
    logger: silentLogger,
  });
  shuffle.start();
  let responseId = 0;
  let serial = 1;
  let wake = () => {};
  const running: Promise<void>[] = [];
  const releases = new Map<string, AbortController>();

  let last: { readonly id: number; readonly answer: Promise<AllocateResponse> } | undefined;
  /** A request that is repeated, for its first sending was interrupted, gets the answer of the first, without further waiting. */
  function once(request: AllocateRequest, waitMs: number): Promise<AllocateResponse> {
    if (last?.id === request.responseId) wake();
    else last = { id: request.responseId, answer: allocate(request, waitMs) };
    return last.answer;
  }

  async function allocate(request: AllocateRequest, waitMs: number): Promise<AllocateResponse> {
    const asks = request.asks ?? [];
    for (const containerId of request.releases ?? []) releases.get(containerId)?.abort();
    if (asks.length === 0 && completed.length === 0 && waitMs > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    const allocations = asks.map(({ askId, launch: given, priority = 0 }) => {
      const launch = completeLaunch(given!);
      const containerId = `container_1700000000000_0001_01_${String(++serial).padStart(6, '0')}`;
      const place = { nodeId: 'localhost:1', nodeHttpAddress: address(), resource, priority };
      launches.push(launch);
      const data = launch.serviceData[shuffleService];
      if (data !== undefined) shuffle.initializeApplication(applicationId, 'ann', Buffer.from(data, 'base64'));
      const release = new AbortController();
      releases.set(containerId, release);
      running.push(
        runContainer(containerId, { launch, released: release.signal }, folder, ran).then((exitCode) => {
          completed.push({ containerId, state: 'COMPLETE', exitCode, diagnostics: '', createdTime: 1, ...place });
          wake();
        }),
      );
      return { containerId, askId, ...place, executionType: 'GUARANTEED' as const, containerToken: '' };
    });
    const command = finished.length > 0 ? { command: 'shutdown' as const } : {};
    return { responseId: ++responseId, allocations, completed: completed.splice(0), headroom: resource, ...command };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://manager');
    const prefix = `/api/v1/auxiliary/${shuffleService}`;
    if (url.pathname.startsWith(prefix)) return shuffle.handle(request, response, (request.url ?? '').slice(prefix.length));
    const reply = (value: object) => response.end(JSON.stringify(value));
    const call = url.pathname.split('/').at(-1);
    if (call === 'register') {
      registrations.push(await bodyOf(request));
      return void reply({
        maximumResource: resource,
        minimumResource: resource,
        queue: 'root.default',
        applicationAcls: {},
        runningContainers: [],
        clusterTimestamp: 1_700_000_000_000,
        notes: [],
      });
    }
    if (call === 'finish') {
      finished.push(await bodyOf(request));
      // As the resource manager does, which answers calls that wait before this one.
      wake();
      await pause();
      return void reply({ unregistered: true });
    }
    const body = await bodyOf<AllocateRequest>(request);
    if (body.asks?.some(({ labelExpression }) => labelExpression !== undefined))
      return void response.writeHead(400).end(JSON.stringify({ message: 'there are no labels' }));
    return void reply(await once(body, Number(url.searchParams.get('wait'))));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  // Whatever attempt calls, its token is the one of the fixture.
  const keyOf = (identity: string) => attemptKey(attemptOfIdentity(identity) ?? '', digestOfSecret(managerToken)).key;
  const proven = new ProvenConnections({ server, keyOf, logger: silentLogger });
  server.on('upgrade', (request, socket, head) => proven.handle(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${address()}`,
    registrations,
    finished,
    ran,
    launches,
    async [Symbol.asyncDispose]() {
      wake();
      await Promise.all(running);
      proven.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
