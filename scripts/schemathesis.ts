// npm run schemathesis: a public tool makes requests from what every server says of itself (/openapi.json) and
// sends them to a cluster of its own: what is answered is as it was said, and what is wrong is refused. Then the same servers where a name counts
// for nothing: without a token nobody is answered. Python's packages go to a virtual environment below node_modules/.cache.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAbusedCluster } from '../test/abuse/abused-cluster.ts';
import { startProcesses } from '../test/support/processes.ts';
import { chosenNames, numberOption, readArguments } from './arguments.ts';

const servers = ['resourceManager', 'nodeManager', 'timeline', 'reader', 'collector', 'history', 'proxy', 'batchMaster'];
const usage = `npm run schemathesis -- [options]
  --seconds N     for each server (default: 60)
  --server NAME   that one alone: ${servers.join(', ')}`;
const { values } = readArguments(usage, { options: { seconds: { type: 'string', default: '60' }, server: { type: 'string' } } });
const seconds = numberOption(usage, 'seconds', values.seconds);
const asked = chosenNames(usage, 'server', values.server === undefined ? [] : [values.server], servers);
const environment = join(import.meta.dirname, '../node_modules/.cache/schemathesis');
const tool = join(environment, 'bin/schemathesis');

function must(program: string, ...args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (error) throw new Error(`${program} is not on this machine: this check needs Python 3.10 or later`);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`);
}

if (!existsSync(tool)) {
  must('python3', '-m', 'venv', environment);
  must(join(environment, 'bin/pip'), 'install', '--quiet', 'schemathesis>=4,<5');
}

/** What ends nothing by itself (events, followed logs), empties the cluster, or changes how it logs and who is believed. */
const left =
  '^(/api/v1/events|/api/v1/server-log|/logLevel|/stacks|/proxy.*|/api/v1/nodes/.*|/ws/v1/cluster/nodes/.*|/api/v1/token.*|.*/allocate|/ws/v1/cluster/delegation-token.*)$';

/** Checks that say nothing here, each with why. */
const unchecked = [
  // Of ids, cron lines, addresses and settings no schema says all: a 400 is the right answer to what is right by its form alone.
  'positive_data_acceptance',
];

/** Operations of which a check does not hold, each with why: what Hadoop answers is recorded, and answered alike. */
const exceptions: readonly { readonly paths: string; readonly checks: readonly string[]; readonly why: string }[] = [
  {
    paths: '^/(ws/v[12]/|cluster|node($|/)|jobhistory|applicationhistory|mapreduce|conf|jmx|logs|static|proxy|$)',
    checks: ['negative_data_rejection'],
    why: 'YARN passes over parameters that it does not know and takes many that are wrong: 200, with what it made of them',
  },
  {
    paths:
      '^/ws/v1/cluster/(apps/{appid}/(queue|priority|timeout|state)|scheduler-conf|scheduler/logs|add-node-labels|remove-node-labels|replace-node-to-labels|containers/)',
    checks: ['response_schema_conformance'],
    why: 'YARN writes a bare text, or nothing, and calls it JSON',
  },
  {
    paths: '^/ws/v2/timeline/(entities|domain|subapp)',
    checks: ['response_schema_conformance', 'content_type_conformance'],
    why: 'The collector of YARN refuses without a body',
  },
  {
    paths: '^/conf$',
    checks: ['content_type_conformance'],
    why: 'Hadoop answers a name that is no setting with 404, without a body, as text/xml',
  },
  {
    paths: '^/(conf|jmx|isActive|node|jobhistory|applicationhistory|cluster|mapreduce|$)',
    checks: ['unsupported_method', 'allow_header_conformance'],
    why: "Hadoop's servlets and pages tell of POST and TRACE in Allow, and leave it out of a 405, as recorded",
  },
  {
    paths: '^/api/v1/containers/{containerid}(/pause|/resume)?$',
    checks: ['missing_required_header'],
    why: 'the token belongs to the container: what is no id of one is refused before',
  },
];

/** The settings file of the tool. */
const toolSettings = exceptions
  .map(
    ({ paths, checks, why }) =>
      `# ${why}\n[[operations]]\ninclude-path-regex = '${paths}'\n${checks.map((check) => `checks.${check}.enabled = false`).join('\n')}\n`,
  )
  .join('\n');

interface Operation {
  security?: unknown;
  parameters?: { readonly name?: string }[];
}
interface Document {
  security?: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/**
 * What a server says of itself. Nobody may call for others here: each request with `doAs` would be refused before anything is read of it; one with
 * `follow` is answered for as long as a container runs.
 */
async function documentOf(url: string, headers: Record<string, string>): Promise<Document> {
  const document = (await (await fetch(`${url}/openapi.json`, { headers })).json()) as Document;
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path)))
    operation.parameters = operation.parameters?.filter(({ name }) => name !== 'doAs' && name !== 'follow') ?? [];
  return document;
}

const folder = mkdtempSync(join(tmpdir(), 'heddle-schemathesis-'));
writeFileSync(join(folder, 'schemathesis.toml'), toolSettings);
let failed = false;

/** Lets the tool ask one server. */
async function ask(name: string, url: string, token: string | undefined, document: Document, checks: readonly string[]): Promise<void> {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(document));
  const args = [
    ...['run', file, '--url', url, '--seed', '1', ...(token === undefined ? [] : ['--header', `Authorization: Bearer ${token}`])],
    ...['--phases', 'examples,coverage,fuzzing', '--max-time', String(seconds), '--request-timeout', '20', '--max-redirects', '0'],
    ...['--exclude-path-regex', left, '--continue-on-failure', '--warnings', 'off', '--suppress-health-check', 'all'],
    ...checks,
  ];
  // The servers of this process go on meanwhile.
  const child = spawn(tool, args, { stdio: 'inherit', cwd: folder });
  const status = await new Promise((resolve) => child.on('exit', resolve));
  failed ||= status !== 0;
}

async function makeToken(resourceManager: string, authorization: Record<string, string> = {}): Promise<string> {
  const made = await fetch(`${resourceManager}/api/v1/tokens?user.name=root`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify({ name: 'schemathesis', scope: 'admin' }),
  });
  const { text } = (await made.json()) as { text?: string };
  if (text === undefined) throw new Error(`no token was made: ${made.status}`);
  return text;
}

try {
  {
    await using abused = await startAbusedCluster();
    const token = await makeToken(abused.cluster.urls.resourceManager);
    for (const { name, port } of abused.services) {
      if (!asked.includes(name)) continue;
      const url = `http://127.0.0.1:${port}`;
      console.log(`== ${name} ${url}`);
      // Those that run for themselves here know no token.
      const known = name in abused.cluster.urls || name === 'collector' ? token : undefined;
      await ask(name, url, known, await documentOf(url, {}), [
        '--exclude-checks',
        // The master answers POST and DELETE as the proxy in front of Hadoop's does, whatever the path.
        ['ignored_auth', ...unchecked, ...(name === 'batchMaster' ? ['unsupported_method'] : [])].join(),
      ]);
    }
  }
  await using guarded = await startProcesses({
    settings: { 'heddle.security.authentication': 'bearer', 'yarn.timeline-service.versions': '1.5,2.0' },
  });
  const { output } = await guarded.heddle('token', 'create', 'schemathesis', '--scope', 'admin', '--user', 'root');
  const token = /heddle_\w+_\S+/.exec(output)?.[0];
  if (token === undefined) throw new Error(`no token was made: ${output}`);
  for (const [name, url] of Object.entries(guarded.urls)) {
    if (!asked.includes(name)) continue;
    console.log(`== ${name} ${url}, where a token is needed`);
    const document = await documentOf(url, { authorization: `Bearer ${token}` });
    document.security = [{ bearer: [] }];
    await ask(name, url, token, document, ['--checks', 'ignored_auth,not_a_server_error']);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
