// npm run third-party: clients that others wrote, as PyPI has them, against a cluster of its own. They are
// installed below node_modules/.cache. Without a name: yarn-api-client alone; the gateway needs Java and brings Spark (400 MB).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chosenNames, readArguments } from '../../scripts/arguments.ts';
import { freePorts } from '../support/ports.ts';
import { startProcesses } from '../support/processes.ts';

interface Client {
  readonly packages: readonly string[];
  readonly test: string;
  /** A package whose sources are needed beside it. */
  readonly sourcesOf?: string;
}

const clients: Readonly<Record<string, Client>> = {
  'yarn-api-client': { packages: ['yarn-api-client==1.0.3'], test: 'yarn_api_client_test.py' },
  'enterprise-gateway': {
    packages: [
      'jupyter_enterprise_gateway==3.3.0',
      'yarn-api-client==1.0.3',
      'ipykernel==6.29.5',
      'pyspark==3.5.3',
      'pycryptodomex',
      'websocket-client',
      'requests',
    ],
    test: 'enterprise_gateway_test.py',
    sourcesOf: 'jupyter_enterprise_gateway==3.3.0',
  },
};

/** Told apart from tests that fail. */
const exitCodeOfAbsence = 3;

const usage = `npm run third-party -- [${Object.keys(clients).join('|')}] …`;
const { positionals } = readArguments(usage, { allowPositionals: true });
const names = positionals.length > 0 ? chosenNames(usage, 'client', positionals, Object.keys(clients)) : ['yarn-api-client'];
const cache = join(import.meta.dirname, '../../node_modules/.cache/third-party');
const basePython = process.env['HEDDLE_PYTHON'] ?? 'python3';

function must(program: string, args: readonly string[], options: { cwd?: string } = {}): void {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', ...options });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${error?.message ?? status}`);
}

/** An environment with a client's packages, made once; answers its Python. */
function install(name: string, { packages }: Client): string {
  const folder = join(cache, name);
  const python = join(folder, 'bin', 'python');
  if (!existsSync(join(folder, 'installed'))) {
    mkdirSync(cache, { recursive: true });
    try {
      must(basePython, ['-m', 'venv', '--clear', folder]);
      must(python, ['-m', 'pip', 'install', '--quiet', ...packages]);
    } catch (error) {
      console.error(`${name} cannot be installed here: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(exitCodeOfAbsence);
    }
    mkdirSync(join(folder, 'installed'));
  }
  return python;
}

/** The unpacked sources of a package. */
function sources(python: string, named: string): string {
  const folder = join(cache, 'sources');
  mkdirSync(folder, { recursive: true });
  const [base = '', version = ''] = named.split('==');
  const unpacked = join(folder, `${base}-${version}`);
  if (!existsSync(unpacked)) {
    must(python, ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', '--dest', folder, named]);
    const archive = readdirSync(folder).find((file) => file.endsWith('.tar.gz') && file.startsWith(`${base}-${version}`));
    must('tar', ['xzf', archive ?? ''], { cwd: folder });
  }
  return unpacked;
}

for (const name of names) {
  const client = clients[name]!;
  const python = install(name, client);
  const environment: Record<string, string> = client.sourcesOf ? { GATEWAY_SOURCES: sources(python, client.sourcesOf) } : {};
  await using cluster = await startProcesses();
  const conf = join(cluster.home, 'client');
  for (const args of [
    ['config', 'client', conf],
    ['batch', 'sleep', '1', '1', '1', '1'],
  ]) {
    const done = await cluster.heddle(...args);
    if (done.code !== 0) throw new Error(done.output);
  }
  const [gatewayPort] = await freePorts(1);
  const { status } = spawnSync(python, ['-B', join(import.meta.dirname, client.test)], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...environment,
      HADOOP_CONF_DIR: conf,
      HEDDLE_CLUSTER: cluster.urls.resourceManager,
      HEDDLE_NODE: cluster.urls.nodeManager,
      GATEWAY_PORT: String(gatewayPort),
    },
  });
  if (status !== 0) process.exitCode = 1;
}
