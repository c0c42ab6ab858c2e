// Wrong command lines, settings and folders: one clear sentence and what to do, exit code 2 for wrong usage and 1 for the rest, never
// a stack trace, and nothing left running.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CommandLine } from '../../src/cli/test-support/command-line.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'heddle-abuse-'));
const busy = createServer((request, response) => {
  // Somebody else's server: answers everything with a page.
  response.writeHead(request.url?.includes('broken') ? 500 : 200, { 'content-type': 'text/html' }).end('<html>hello</html>');
});
let busyPort = 0;
before(async () => {
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  busyPort = (busy.address() as AddressInfo).port;
});
after(() => {
  busy.closeAllConnections();
  busy.close();
  rmSync(folder, { recursive: true, force: true });
});

const longestRunMs = 120_000;
let runs = 0;

function heddle(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<{ code: number | string; out: string; err: string }> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HEDDLE_')));
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, HEDDLE_DATA: join(folder, `data-${++runs}`), ...variables },
  });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), longestRunMs);
  let out = '';
  let err = '';
  child.stdout.on('data', (piece) => (out += piece));
  child.stderr.on('data', (piece) => (err += piece));
  return new Promise((resolve) =>
    child.on('close', (code, signal) => {
      clearTimeout(tooLong);
      resolve({ code: code ?? signal ?? 'nothing', out, err });
    }),
  );
}

/** A folder of settings with the given files. */
function settings(name: string, files: Record<string, string | Buffer>): string {
  const conf = join(folder, name);
  mkdirSync(conf, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(conf, file), text);
  return conf;
}
const property = (name: string, value: string) => `<property><name>${name}</name><value>${value}</value></property>`;
const xml = (...properties: string[]) => `<configuration>${properties.join('')}</configuration>`;

interface Mistake {
  readonly args: () => readonly string[];
  readonly code: 1 | 2;
  /** What the sentence must say. */
  readonly says: RegExp;
  readonly variables?: Record<string, string>;
}

const free = ['--set', 'yarn.resourcemanager.webapp.address=127.0.0.1:0'];
const file = () => {
  const path = join(folder, 'a-file');
  writeFileSync(path, '');
  return path;
};
const unreachable = ['--cluster', 'http://127.0.0.1:1', '--set', 'yarn.resourcemanager.connect.max-wait.ms=0'];
const mistakes: Record<string, Mistake> = {
  'an unknown command': { args: () => ['weave'], code: 2, says: /weave/ },
  'a command nearly right': { args: () => ['ap', 'list'], code: 2, says: /ap/ },
  'an unknown option': { args: () => ['up', '--fast'], code: 2, says: /--fast/ },
  'an option without its value': { args: () => ['up', '--conf'], code: 2, says: /--conf/ },
  'a missing argument': { args: () => ['app', 'show'], code: 2, says: /argument/ },
  'an argument too many': { args: () => ['node', 'list', 'x'], code: 2, says: /argument/ },
  'an unknown role': { args: () => ['start', 'weaver'], code: 2, says: /weaver/ },
  'a setting without a value': { args: () => ['up', '--set', 'yarn.acl.enable'], code: 2, says: /KEY=VALUE/ },
  'a setting of nobody': { args: () => ['up', '--set', 'heddle.nothing=1'], code: 1, says: /heddle\.nothing/ },
  'a setting of a wrong kind': {
    args: () => ['config', 'check', '--set', 'yarn.resourcemanager.am.max-attempts=many'],
    code: 1,
    says: /max-attempts.*many|many.*max-attempts/s,
  },
  'an address that is none': {
    args: () => ['start', 'resource-manager', '--set', 'yarn.resourcemanager.webapp.address=nowhere:port:x'],
    code: 1,
    says: /webapp\.address/,
  },
  'a port out of range': {
    args: () => ['start', 'resource-manager', '--set', 'yarn.resourcemanager.webapp.address=127.0.0.1:99999'],
    code: 1,
    says: /99999/,
  },
  'a folder of settings that is missing': { args: () => ['up', '--conf', join(folder, 'missing')], code: 1, says: /missing/ },
  'a folder of settings that is a file': { args: () => ['up', '--conf', file()], code: 1, says: /a-file/ },
  'settings that are no XML': {
    args: () => ['up', '--conf', settings('bad-xml', { 'yarn-site.xml': '<configuration><property>' })],
    code: 1,
    says: /yarn-site\.xml/,
  },
  'settings of another root': {
    args: () => ['up', '--conf', settings('bad-root', { 'yarn-site.xml': '<settings/>' })],
    code: 1,
    says: /yarn-site\.xml/,
  },
  'settings that laugh': {
    args: () => [
      'up',
      '--conf',
      settings('laughing', {
        'yarn-site.xml': `<!DOCTYPE c [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${xml(property('yarn.acl.enable', '&b;'))}`,
      }),
    ],
    code: 1,
    says: /yarn-site\.xml/,
  },
  'settings that are bytes': {
    args: () => ['up', '--conf', settings('bytes', { 'yarn-site.xml': Buffer.from([0, 255, 254, 1]) })],
    code: 1,
    says: /yarn-site\.xml/,
  },
  'a setting in XML of a wrong kind': {
    args: () => ['up', '--conf', settings('bad-value', { 'yarn-site.xml': xml(property('yarn.acl.enable', 'perhaps')) })],
    code: 1,
    says: /yarn-site\.xml.*perhaps|perhaps.*yarn-site\.xml/s,
  },
  'YAML that is none': {
    args: () => ['up', '--conf', settings('bad-yaml', { 'heddle.yaml': 'a: [b\n c: }' })],
    code: 1,
    says: /heddle\.yaml/,
  },
  'YAML that is a list': {
    args: () => ['up', '--conf', settings('list-yaml', { 'heddle.yaml': '- a\n- b\n' })],
    code: 1,
    says: /heddle\.yaml/,
  },
  'YAML that laughs': {
    args: () => [
      'up',
      '--conf',
      settings('laughing-yaml', {
        'heddle.yaml': `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'.replace(/./g, (name) => `${name}: &${name} [${`*${String.fromCharCode(name.charCodeAt(0) - 1)},`.repeat(9)}]\n`)}`,
      }),
    ],
    code: 1,
    says: /heddle\.yaml/,
  },
  'queues that do not add up': {
    args: () => [
      ...['start', 'resource-manager', ...free, '--conf'],
      settings('bad-queues', {
        'capacity-scheduler.xml': xml(
          property('yarn.scheduler.capacity.root.queues', 'a,b'),
          property('yarn.scheduler.capacity.root.a.capacity', '70'),
          property('yarn.scheduler.capacity.root.b.capacity', '70'),
        ),
      }),
    ],
    code: 1,
    says: /capacit/,
  },
  'fair shares that are no XML': {
    args: () => [
      ...['start', 'resource-manager', ...free, '--conf'],
      settings('bad-fair', {
        'yarn-site.xml': xml(
          property('yarn.resourcemanager.scheduler.class', 'org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler'),
        ),
        'fair-scheduler.xml': '<allocations><queue',
      }),
    ],
    code: 1,
    says: /fair-scheduler|queues/,
  },
  'a data folder that is a file': {
    args: () => ['start', 'resource-manager', ...free, '--data', file()],
    code: 1,
    says: /a-file cannot be used: it is a file/,
  },
  'a data folder that nobody can make': {
    args: () => ['up', '--ports', 'auto', '--data', '/proc/heddle'],
    code: 1,
    says: /\/proc\/heddle/,
  },
  'a data folder that cannot be made': { args: () => ['up', '--ports', 'auto', '--data', '/sys/heddle'], code: 1, says: /\/sys\/heddle/ },
  'everybody let in without a password': {
    args: () => ['start', 'resource-manager', '--set', 'yarn.resourcemanager.webapp.address=0.0.0.0:0'],
    code: 1,
    says: /0\.0\.0\.0/,
  },
  'a port in use': {
    args: () => ['start', 'resource-manager', '--set', `yarn.resourcemanager.webapp.address=127.0.0.1:${busyPort}`],
    code: 1,
    says: /in use/,
  },
  'a cluster with a port in use': {
    args: () => [
      'up',
      '--ports',
      'auto',
      '--data',
      join(folder, 'taken'),
      '--set',
      `mapreduce.jobhistory.webapp.address=127.0.0.1:${busyPort}`,
    ],
    code: 1,
    says: /in use/,
  },
  'a scheduler of nobody': {
    args: () => ['start', 'resource-manager', ...free, '--set', 'yarn.resourcemanager.scheduler.class=org.example.Mine'],
    code: 1,
    says: /scheduler/,
  },
  'a cluster that does not answer': { args: () => ['app', 'list', ...unreachable], code: 1, says: /127\.0\.0\.1:1\b/ },
  'a cluster that does not answer a run': { args: () => ['run', ...unreachable, '--', 'true'], code: 1, says: /127\.0\.0\.1:1\b/ },
  'a cluster that does not answer a job': {
    args: () => ['batch', 'wordcount', ...unreachable, file(), join(folder, 'out')],
    code: 1,
    says: /127\.0\.0\.1:1\b/,
  },
  'a cluster that is something else': {
    args: () => ['app', 'list', '--cluster', `http://127.0.0.1:${busyPort}`],
    code: 1,
    says: /JSON|answer/i,
  },
  'nodes of something else': { args: () => ['node', 'list', '--cluster', `http://127.0.0.1:${busyPort}`], code: 1, says: /JSON|answer/i },
  'queues of something else': { args: () => ['queue', 'list', '--cluster', `http://127.0.0.1:${busyPort}`], code: 1, says: /JSON|answer/i },
  'a run on something else': {
    args: () => ['run', '--cluster', `http://127.0.0.1:${busyPort}`, '--', 'true'],
    code: 1,
    says: /JSON|answer/i,
  },
  'a cluster that is no address': { args: () => ['app', 'list', '--cluster', 'http://:::'], code: 2, says: /no address/ },
  'a cluster of the environment that is no address': {
    args: () => ['app', 'list'],
    code: 2,
    says: /HEDDLE_CLUSTER/,
    variables: { HEDDLE_CLUSTER: '???' },
  },
  'a run without a command': { args: () => ['run'], code: 2, says: /argument/ },
  'a run of no instances': { args: () => ['run', '--instances', '0', '--', 'true'], code: 2, says: /instances/ },
  'a run with nameless memory': { args: () => ['run', '--memory', 'lots', '--', 'true'], code: 2, says: /memory/ },
  'a run with a missing file': {
    args: () => ['run', ...unreachable, '--file', join(folder, 'missing'), '--', 'true'],
    code: 2,
    says: /missing/,
  },
  'a job of an unknown kind': { args: () => ['batch', 'weave', 'a', 'b'], code: 2, says: /weave/ },
  'a job without paths': { args: () => ['batch', 'wordcount'], code: 2, says: /argument/ },
  'an explanation of an unknown setting': { args: () => ['config', 'explain', 'no.such.key'], code: 1, says: /no\.such\.key/ },
  'an unknown shell': { args: () => ['completion', 'dos'], code: 2, says: /dos/ },
};

/** Commands that start a role, and those with variables of their own, have a process each; all others share a thread. */
const needsProcess = ({ args, variables }: Mistake): boolean => variables !== undefined || ['up', 'start'].includes(args()[0] ?? '');
const ofProcesses = Object.entries(mistakes).filter(([, mistake]) => needsProcess(mistake));
const ofClients = Object.entries(mistakes).filter(([, mistake]) => !needsProcess(mistake));

function check({ code, says }: Mistake, result: { readonly code: number | string; readonly out: string; readonly err: string }) {
  const told = result.err.trim();
  assert.equal(result.code, code, `${told}\n${result.out}`);
  assert.match(told, says);
  assert.doesNotMatch(told, /\n\s+at |node:internal|UnhandledPromise|"level":(50|60)/, told);
  // Roles that were quicker than the failure have said that they are ready.
  assert.ok(told.split('\n').filter((line) => !line.startsWith('{"level":')).length <= 6, told);
}

describe('wrong command lines', { concurrency: 4 }, () => {
  for (const [name, mistake] of ofProcesses) test(name, async () => check(mistake, await heddle(mistake.args(), mistake.variables)));
});

describe('wrong command lines of clients', () => {
  const { PATH = '', HOME = '' } = process.env;
  const commands = new CommandLine({ PATH, HOME, HEDDLE_DATA: join(folder, 'data') });
  after(() => commands[Symbol.asyncDispose]());
  for (const [name, mistake] of ofClients) test(name, async () => check(mistake, await commands.run(...mistake.args())));
});
