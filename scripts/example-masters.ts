// npm run example-masters: runs the masters of examples/masters on a cluster of its own, as docs/operate/masters.md says: their program is staged,
// they run three containers of which one fails at first, and the resource manager is killed by kill -9 meanwhile. What a machine lacks (Go, Python) is named and left out.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endedApplication } from '../test/support/applications.ts';
import { type ClusterProcesses, startProcesses, until } from '../test/support/processes.ts';
import { readArguments } from './arguments.ts';

readArguments('npm run example-masters', {});

const examples = join(import.meta.dirname, '../examples/masters');
const built = mkdtempSync(join(tmpdir(), 'heddle-masters-'));

interface Example {
  readonly name: string;
  /** What has to be there, with the arguments by which it says that it is. */
  readonly needs: readonly [program: string, ...arguments: string[]];
  /** The file that is staged, made where it has to be. */
  file(): string;
  /** How it is started in its container. */
  readonly command: (name: string) => string;
}

const list: readonly Example[] = [
  {
    name: 'python',
    needs: ['python3', '--version'],
    file: () => join(examples, 'python/master.py'),
    command: (name) => `python3 ${name}`,
  },
  {
    name: 'go',
    needs: ['go', 'version'],
    file: () => {
      const out = join(built, 'master');
      const { status, stderr } = spawnSync('go', ['build', '-o', out, '.'], { cwd: join(examples, 'go'), encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      return out;
    },
    command: (name) => `chmod +x ${name} && ./${name}`,
  },
  {
    name: 'typescript',
    needs: [process.execPath, '--version'],
    file: () => join(examples, 'typescript/master.ts'),
    command: (name) => `'${process.execPath}' ${name}`,
  },
];

const json = { 'content-type': 'application/json' };

/** Stages the program, submits it, kills the resource manager while it works, and looks at what came of it. */
async function play(cluster: ClusterProcesses, { name, file, command }: Example): Promise<void> {
  const { resourceManager } = cluster.urls;
  const fresh = await fetch(`${resourceManager}/ws/v1/cluster/apps/new-application?user.name=root`, { method: 'POST' });
  const { 'application-id': id } = (await fresh.json()) as { 'application-id': string };
  const program = file();
  const programName = program.slice(program.lastIndexOf('/') + 1);
  const staged = await fetch(`${resourceManager}/api/v1/staging/root/${id}/${programName}?user.name=root`, {
    method: 'PUT',
    body: readFileSync(program),
  });
  assert.equal(staged.status, 201);
  const { uri, bytes } = (await staged.json()) as { uri: string; bytes: number };
  const work = join(cluster.home, name);
  mkdirSync(work);
  // The first container that comes fails; each leaves a file of its own name.
  const script = join(cluster.home, `${name}.sh`);
  writeFileSync(script, `mkdir ${work}/first 2>/dev/null && exit 7\nsleep 1\ntouch ${work}/$$\n`);
  const submitted = await fetch(`${resourceManager}/api/v1/applications?user.name=root`, {
    method: 'POST',
    headers: { ...json, 'idempotency-key': name },
    body: JSON.stringify({
      'application-id': id,
      'application-name': name,
      resource: { memory: 256, vCores: 1 },
      'am-container-spec': {
        commands: [`${command(programName)} 3 sh ${script} 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr`],
        'local-resources': { [programName]: { resource: uri, size: bytes, type: 'FILE', visibility: 'APPLICATION' } },
      },
    }),
  });
  assert.equal(submitted.status, 202, await submitted.text());
  await until('the first container to end', async () => readdirSync(work).includes('first'));
  await cluster.stop('resource-manager', 'SIGKILL');
  await cluster.start('resource-manager');
  const { state, finalStatus, diagnostics } = await endedApplication(resourceManager, id);
  assert.deepEqual([state, finalStatus], ['FINISHED', 'SUCCEEDED'], `${name}: ${diagnostics}`);
  const marks = readdirSync(work).filter((mark) => mark !== 'first');
  assert.equal(marks.length, 3, `${name}: ${marks.join(' ')}`);
  console.log(`ok  ${name}`);
}

await using cluster = await startProcesses({ mode: 'roles' });
try {
  for (const example of list) {
    const [program, ...args] = example.needs;
    if (spawnSync(program, args).error) console.log(`--  ${example.name}: ${program} is not on this machine`);
    else await play(cluster, example);
  }
} finally {
  rmSync(built, { recursive: true, force: true });
}
