// A client whose folders the nodes do not see: what works all the same, and how it is told what does not.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, startProcesses } from '../support/processes.ts';

const root = join(import.meta.dirname, '../..');

function reasonAgainst(): string | false {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'pipe' });
    return false;
  } catch {
    return 'mounts of their own cannot be made here';
  }
}

describe('nodes that do not see the folders of a client', { skip: reasonAgainst() }, () => {
  let cluster: ClusterProcesses;
  let client: string;
  before(async () => {
    // For everything that runs in the cluster the client's folder is empty.
    const hide = (home: string) => {
      mkdirSync(join(home, 'client'), { recursive: true });
      return ['unshare', '-m', 'bash', '-c', 'mount -t tmpfs none "$0" && exec "$@"', join(home, 'client')];
    };
    cluster = await startProcesses({ within: hide });
    client = join(cluster.home, 'client');
    for (const folder of [join(client, 'in'), join(cluster.home, 'in')]) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'words'), 'the weaver weaves the cloth\n');
    }
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  it('runs what a client brings, wherever Heddle is installed there', async () => {
    const installed = join(client, 'heddle');
    for (const folder of ['bin', 'src']) cpSync(join(root, folder), join(installed, folder), { recursive: true });
    cpSync(join(root, 'package.json'), join(installed, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
    const child = spawn(
      process.execPath,
      [
        join(installed, 'src/main.ts'),
        'run',
        '--file',
        join(client, 'in/words'),
        '--conf',
        cluster.confDir,
        '--data',
        cluster.dataDir,
        '--',
        'cat',
        'words',
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    assert.deepEqual([await new Promise((done) => child.on('close', done)), output], [0, 'the weaver weaves the cloth\n']);
  });

  it('brings the module of a batch job, and says where the output is', async () => {
    const module = join(client, 'job.ts');
    writeFileSync(
      module,
      "export const map = (line: string, emit: (key: string, value: string) => void): void => emit(line.toUpperCase(), '');",
    );
    const { code, output } = await cluster.heddle(
      'batch',
      'module',
      module,
      join(cluster.home, 'in'),
      join(client, 'out'),
      '-D',
      'mapreduce.job.reduces=1',
    );
    assert.equal(code, 0, output);
    assert.match(output, /the output lies in \S+\/client\/out of the nodes, which this machine does not see/);
    assert.equal(existsSync(join(client, 'out')), false);
  });

  it('tells which input a node does not see', async () => {
    const { code, output } = await cluster.heddle('batch', 'wordcount', join(client, 'in'), join(cluster.home, 'out'));
    assert.equal(code, 1);
    assert.match(
      output,
      /attempt_\S+_m_000000_\d failed on \S+:\n {2}Error: FileNotFoundException: File file:\S+\/client\/in\/words does not exist on \S+: the input of a job has to lie where all nodes see it/,
    );
  });

  it('tells when the staging folder is not shared', async () => {
    const hidden = `yarn.app.mapreduce.am.staging-dir=${join(client, 'staging')}`;
    const { code, output } = await cluster.heddle('batch', 'wordcount', join(client, 'in'), join(cluster.home, 'out2'), '-D', hidden);
    assert.equal(code, 1);
    assert.match(output, /Staging dir does not exist \S+: \S+ does not see what the client wrote there/);
  });
});
