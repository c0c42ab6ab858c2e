// What `heddle doctor` finds unsafe about the cluster that runs on a data folder: where it really listens, as whom it runs, its clock.
import { readFileSync, statSync } from 'node:fs';
import { request as securedRequest } from 'node:https';
import { callersProve } from '../config/exposure.ts';
import type { Configuration } from '../config/load.ts';
import { listeningSockets } from '../lib/listening-sockets.ts';
import { isLoopbackAddress } from '../lib/loopback.ts';
import { request as plainRequest } from '../lib/plain-http.ts';
import { type ClusterFile, readClusterFile } from './cluster-file.ts';
import { findTokens } from './doctor-tokens.ts';
import type { Finding } from './finding.ts';
import { roleNames } from './host.ts';

/** Clocks that differ by more make tokens and tickets of the one too old or too young for the other. */
const mostClockDifferenceMs = 60_000;
const answerMs = 5_000;

/** All of it; nothing where no cluster runs there. `now`: this machine's clock, in ms. */
export async function findInCluster(configuration: Configuration, now: () => number): Promise<Finding[]> {
  const files = ['cluster.json', ...roleNames.map((role) => `${role}.json`)].flatMap(
    (name) => readClusterFile(configuration.dataDir, name) ?? [],
  );
  const found = await Promise.all(files.map((file) => findIn(file, configuration, now)));
  return found.flat();
}

async function findIn(file: ClusterFile, configuration: Configuration, now: () => number): Promise<Finding[]> {
  const answers = Object.entries(file.addresses).flatMap(([role, urls]) =>
    Object.entries(urls)
      .filter(([, url]) => /^https?:/.test(url))
      .flatMap(([name, url]) => [
        findAt(`${role} (${name})`, url, file.authorityFile, now),
        ...(role === 'resource-manager' && name === 'web'
          ? [findWebhooks(url, file.authorityFile), findTokens(configuration, { url, authorityFile: file.authorityFile }, now)]
          : []),
      ]),
  );
  return [...findSockets(file, configuration), ...findUser(file), ...(await Promise.all(answers)).flat()];
}

/** What the process listens on beyond loopback. */
function findSockets({ pid, command = 'heddle', addresses }: ClusterFile, configuration: Configuration): Finding[] {
  const sockets = listeningSockets(pid);
  if (sockets === undefined)
    return [
      {
        level: 'note',
        what: `where ${command} (process ${pid}) listens cannot be seen`,
        remedy: 'Run heddle doctor as the user who started it, or as root.',
      },
    ];
  const believes = Object.keys(addresses).some((role) => !callersProve(role.replace(/-\d+$/, ''), configuration));
  const remedy = believes
    ? 'Configure authentication, or listen on loopback.'
    : 'Let a firewall keep out who has no business there; nothing is wrong with it otherwise.';
  return sockets
    .filter(({ address }) => !isLoopbackAddress(address))
    .map(({ address, port }) => ({
      level: believes ? 'problem' : 'note',
      what: `${command} (process ${pid}) listens on ${address.includes(':') ? `[${address}]` : address}:${port}, which others reach${believes ? ' and need not prove who they are' : ''}`,
      remedy,
    }));
}

function findUser({ pid, command = 'heddle' }: ClusterFile): Finding[] {
  try {
    if (statSync(`/proc/${pid}`).uid !== 0 || process.getuid?.() === 0) return [];
    return [
      {
        level: 'problem',
        what: `${command} (process ${pid}) runs as root`,
        remedy: 'Start it as another user, unless it switches users for containers.',
      },
    ];
  } catch {
    return [];
  }
}

/** Whether a server answers, does its work, and has the same time. */
async function findAt(name: string, url: string, authorityFile: string | undefined, now: () => number): Promise<Finding[]> {
  try {
    const { status, date } = await askReady(url, authorityFile);
    const found: Finding[] = [];
    // A server from before has no such path.
    if (status === 503)
      found.push({ level: 'problem', what: `the ${name} at ${url} is not ready`, remedy: `${new URL('/ready', url)} says why.` });
    const difference = Math.abs(now() - Date.parse(date ?? ''));
    if (difference > mostClockDifferenceMs)
      found.push({
        level: 'problem',
        what: `the clock of the ${name} at ${url} differs from this machine's by ${Math.round(difference / 1000)} s`,
        remedy: 'Let NTP set both: tokens, cookies and tickets end by the clock.',
      });
    return found;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ level: 'problem', what: `the ${name} does not answer at ${url}: ${reason}`, remedy: 'Look at what it has printed.' }];
  }
}

/** Webhooks whose receivers take nothing; none where the numbers are not for us. */
async function findWebhooks(url: string, authorityFile: string | undefined): Promise<Finding[]> {
  const { status, body } = await askAt(url, '/metrics', authorityFile).catch(() => ({ status: 0, body: '' }));
  const line = body.split('\n').find((each) => each.startsWith('heddle_webhooks{') && each.includes('state="failing"'));
  const failing = status === 200 && line !== undefined ? Number(line.slice(line.lastIndexOf(' '))) : 0;
  if (!(failing > 0)) return [];
  return [
    {
      level: 'note',
      what: `${failing} ${failing === 1 ? 'webhook takes' : 'webhooks take'} nothing that the resource manager at ${url} sends`,
      remedy: '"heddle webhook list --all" says which and why.',
    },
  ];
}

const longestAnswer = 1_000_000;

/** Whether a server does its work: 200, or 503 and why not. Rejects where it does not answer. */
export async function askReady(
  base: string,
  authorityFile: string | undefined,
): Promise<{ status: number; date: string | undefined; reason: string | undefined }> {
  const { status, date, body } = await askAt(base, '/ready', authorityFile);
  return { status, date, reason: reasonIn(body) };
}

interface Answered {
  readonly status: number;
  readonly date: string | undefined;
  readonly body: string;
}

/** What a server answers to whoever asks. */
function askAt(base: string, path: string, authorityFile: string | undefined): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const url = new URL(path, base);
  const authority = authorityFile === undefined ? {} : { ca: readFileSync(authorityFile) };
  const options = { timeout: answerMs, agent: false as const };
  const sent = url.protocol === 'https:' ? securedRequest(url, { ...options, ...authority }) : plainRequest(url, options);
  sent.on('response', (response) => {
    let body = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      if (body.length < longestAnswer) body += piece;
    });
    response.on('end', () => resolve({ status: response.statusCode ?? 0, date: response.headers.date, body }));
    response.on('error', reject);
  });
  sent.on('timeout', () => sent.destroy(new Error(`no answer in ${answerMs} ms`)));
  sent.on('error', reject);
  sent.end();
  return promise;
}

function reasonIn(body: string): string | undefined {
  try {
    const { reason } = JSON.parse(body) as { reason?: unknown };
    return typeof reason === 'string' ? reason : undefined;
  } catch {
    return undefined;
  }
}
