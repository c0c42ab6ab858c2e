// Completion: the scripts for shells, and what the cluster offers them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { type CommandLine, commandsAt, StubServer } from './test-support/command-line.ts';

const server = new StubServer(() => undefined);
let commands: CommandLine;
before(async () => {
  commands = commandsAt(await server.listen());
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
const heddle = (...args: string[]) => commands.run(...args);
const base = '/ws/v1/cluster';

describe('heddle completion', () => {
  it('prints a script for each shell with every command and its options', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, out } = await heddle('completion', shell);
      assert.equal(code, 0);
      for (const word of ['app logs', 'set-attributes', 'follow', 'graceful']) assert.ok(out.includes(word), `${shell}: ${word}`);
    }
    assert.equal((await heddle('completion', 'tcsh')).code, 2);
  });

  it('offers what the cluster knows of what is to stand there, and nothing where nobody can say', async () => {
    const query: string[] = [];
    server.answer = ({ path, query: asked }) => {
      if (path === '/api/v1/applications') {
        query.push(asked.get('states') ?? 'all');
        return { json: { applications: [{ id: 'application_1_0002', name: 'two  words', state: 'RUNNING' }] } };
      }
      if (path === `${base}/nodes`)
        return {
          json: {
            nodes: {
              node: [
                { id: 'n1:1', state: 'RUNNING' },
                { id: 'm2:1', state: 'LOST' },
              ],
            },
          },
        };
      if (path === '/api/v1/nodes/n1%3A1/containers')
        return { json: { containers: [{ id: 'container_1_0002_01_000001', state: 'RUNNING', applicationName: 'a' }] } };
      if (path !== `${base}/scheduler`) return undefined;
      const leaf = (name: string, state = 'RUNNING') => ({ queueName: name, queuePath: `root.${name}`, state });
      const queues = { queue: [leaf('c'), leaf('b', 'STOPPED'), { ...leaf('a'), queues: { queue: [leaf('a.x')] } }] };
      return { json: { scheduler: { schedulerInfo: { queueName: 'root', queuePath: 'root', queues } } } };
    };
    const offers = async (...words: string[]) => {
      const { code, out, err } = await heddle('complete', '--', ...words);
      assert.deepEqual([code, err], [0, ''], words.join(' '));
      return out.split('\n').filter((line) => line !== '');
    };
    assert.deepEqual(await offers('app', 'show', ''), ['application_1_0002\tRUNNING two words']);
    assert.deepEqual(await offers('app', 'kill', '--json', 'application_1_0001', 'app'), ['application_1_0002\tRUNNING two words']);
    assert.deepEqual(query, ['all', 'NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING']);
    const taking = ['root.a.x\tRUNNING', 'root.c\tRUNNING'];
    assert.deepEqual(await offers('app', 'move', 'application_1_0002', 'root.'), taking, 'of those that take work');
    assert.deepEqual(await offers('run', '--queue', 'root.'), taking);
    assert.deepEqual(await offers('queue', 'show', 'root.'), [
      'root.a\tRUNNING',
      'root.a.x\tRUNNING',
      'root.b\tSTOPPED',
      'root.c\tRUNNING',
    ]);
    assert.deepEqual(await offers('node', 'show', '--user', 'x', 'm'), ['m2:1\tLOST']);
    assert.deepEqual(await offers('container', 'show', ''), ['container_1_0002_01_000001\tRUNNING a']);
    assert.deepEqual(await offers('job', 'show', ''), ['job_1_0002\tRUNNING two words'], 'the history server does not answer');
    assert.deepEqual(await offers('job', 'list', '--state', 'F'), ['FAILED']);
    const further = await offers('job', 'list', '--state', 'FAILED,');
    assert.deepEqual([further.includes('FAILED,KILLED'), further.includes('FAILED,FAILED')], [true, false]);
    assert.deepEqual(await offers('app', 'events', 'application_1_0001', '--kind', 'container.'), [
      'container.created',
      'container.finished',
    ]);
    assert.ok((await offers('node', 'list', '--state', '')).includes('DECOMMISSIONED'));
    assert.deepEqual(await offers('job', 'tasks', 'job_1_0001', '--type', ''), ['map', 'reduce']);
    assert.deepEqual(await offers('job', 'tasks', 'job_1_0001', '--type', 'map,'), [], 'one alone');
    assert.deepEqual(await offers('app', 'list', '--type', ''), [], 'what has choices for one command may be any word for another');
    assert.deepEqual(await offers('app', 'logs', '--role', ''), ['master', 'task']);
    assert.deepEqual(await offers('server', 'log', '--role', 'n'), ['node-manager']);
    assert.ok((await offers('reservation', 'submit', 'a', '--kind', '')).includes('order'));
    for (const words of [
      [],
      [''],
      ['app', ''],
      ['app', 'show', '--'],
      ['app', 'show', 'b'],
      ['run', '--name', ''],
      ['label', 'remove', ''],
    ])
      assert.deepEqual(await offers(...words), [], words.join(' '));
    server.answer = () => ({ status: 401, json: {} });
    assert.deepEqual(await offers('app', 'show', ''), []);
    assert.deepEqual(await offers('app', 'show', '--cluster', 'http://127.0.0.1:1', ''), []);
  });

  it('gives a script that bash runs', async () => {
    const { out } = await heddle('completion', 'bash');
    const line = 'heddle node show n1:';
    const script = `${out}
heddle() { printf '%s\\n' "$*" >&2; printf 'n1:1\\tRUNNING\\n'; }
COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(heddle node show n1 :) COMP_CWORD=4
_heddle && printf '%s\\n' "\${COMPREPLY[-1]}"
COMP_LINE='heddle app mo' COMP_POINT=13 COMP_WORDS=(heddle app mo) COMP_CWORD=2
_heddle && printf '%s\\n' "\${COMPREPLY[@]}"
COMP_LINE='heddle token create --scope ' COMP_POINT=28 COMP_WORDS=(heddle token create --scope '') COMP_CWORD=4
_heddle; printf '%s\\n' "\${COMPREPLY[@]}"
COMP_LINE='heddle app list --token-file ' COMP_POINT=29 COMP_WORDS=(heddle app list --token-file '') COMP_CWORD=4
_heddle; printf '%s\\n' "\${#COMPREPLY[@]}"`;
    const ran = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    assert.deepEqual([ran.stdout, ran.status], ['1\nmove\nread\nsubmit\nadmin\n0\n', 0]);
    const caseOf = (option: string) => out.split('\n').find((line) => new RegExp(`[ |]${option}[|)]`).test(line)) ?? '';
    assert.match(caseOf('--limit'), /compopt \+o default/, 'a number is no file');
    assert.doesNotMatch(caseOf('--token-file'), /compopt/);
    assert.match(caseOf('--state'), /_heddle_known/);
    for (const option of ['--type', '--kind', '--role']) assert.match(caseOf(option), /_heddle_known/, 'the words depend on the command');
  });

  it('tells fish what stands behind an option: words, what the cluster knows, a file, or what nobody knows', async () => {
    const { out } = await heddle('completion', 'fish');
    const behind = (path: string, option: string) =>
      out.split('\n').find((line) => line.startsWith(`complete -c heddle -n '`) && line.includes(path) && line.includes(` -l ${option}`));
    assert.match(behind('token create', 'scope') ?? '', / -x -a "read submit admin"$/);
    assert.match(behind('app list', 'state') ?? '', / -x -k -a '\(__heddle_known\)'$/);
    assert.match(behind('app list', 'token-file') ?? '', / -r -F$/);
    assert.match(behind('app list', 'limit') ?? '', / -x$/);
    assert.match(behind('app list', 'json') ?? '', / -l json$/);
  });
});
