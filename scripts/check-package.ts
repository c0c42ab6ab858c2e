// npm run check:package: builds and packs Heddle, installs the package in an empty folder as a user would, and uses it there: the command
// prints its version, a cluster starts, `heddle run` runs a program on it, a job with the types of `heddle/batch` and a TypeScript program that
// imports `heddle/client` are checked by the compiler and the program lists the application. Fails with the output of the step that did not work.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readArguments } from './arguments.ts';

readArguments('npm run check:package', {});

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'heddle-package-'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/** Runs a program to its end and gives what it printed; @throws with its output when it fails */
function run(step: string, command: string, args: readonly string[], cwd: string): string {
  try {
    const output = execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 });
    console.log(`ok  ${step}`);
    return output;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${step}: ${message}\n${stdout}${stderr}`);
  }
}

const program = `import { ClusterClient, type ApplicationInfo } from 'heddle/client';

const client = new ClusterClient({ url: process.argv[2] ?? '' });
const applications: readonly ApplicationInfo[] = await client.applications({ states: 'FINISHED' });
console.log(applications.map(({ name, finalStatus }) => \`\${name} \${finalStatus}\`).join());
`;
const job = `import type { JobModule } from 'heddle/batch';

export default { map: (line, emit) => emit(line, 1), compare: (left, right) => right.localeCompare(left) } satisfies JobModule;
`;
const compilerOptions = {
  strict: true,
  module: 'nodenext',
  target: 'esnext',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

async function useCluster(user: string, heddle: string): Promise<void> {
  const data = join(user, 'data');
  const up = spawn(heddle, ['up', '--ports', 'auto', '--data', data, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((done) => up.on('exit', () => done()));
  try {
    const line = await new Promise<string>((done, fail) => {
      createInterface(up.stdout).once('line', done);
      up.once('exit', (code) => fail(new Error(`heddle up ended with ${code} before it was ready`)));
    });
    const { addresses } = JSON.parse(line) as { addresses: Record<string, Record<string, string>> };
    const url = addresses['resource-manager']?.['web'];
    if (!url) throw new Error(`heddle up named no address of the resource manager: ${line}`);
    console.log('ok  heddle up');
    const said = run('heddle run', heddle, ['run', '--data', data, '--name', 'packed', '--', 'echo', 'it runs'], user);
    if (!said.includes('it runs')) throw new Error(`heddle run printed no line of the program:\n${said}`);
    const listed = run('a program with heddle/client', process.execPath, ['program.js', url], user);
    if (listed.trim() !== 'packed SUCCEEDED') throw new Error(`the program listed "${listed.trim()}"`);
  } finally {
    up.kill('SIGTERM');
    await ended;
  }
}

try {
  const packed = JSON.parse(run('npm pack', 'npm', ['pack', '--json', '--pack-destination', folder], root)) as { filename: string }[];
  const user = join(folder, 'user');
  mkdirSync(user);
  writeFileSync(join(user, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  run('npm install', 'npm', ['install', '--no-audit', '--no-fund', join(folder, packed[0]?.filename ?? '')], user);
  const heddle = join(user, 'node_modules/.bin/heddle');
  const printed = run('heddle --version', heddle, ['--version'], user).trim();
  if (printed !== version) throw new Error(`heddle --version printed ${printed}, not ${version}`);
  writeFileSync(join(user, 'program.ts'), program);
  writeFileSync(join(user, 'job.ts'), job);
  writeFileSync(join(user, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts', 'job.ts'] }));
  run('types of heddle/client and heddle/batch', join(root, 'node_modules/.bin/tsc'), ['-p', '.'], user);
  await useCluster(user, heddle);
  console.log('the packed package works');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
