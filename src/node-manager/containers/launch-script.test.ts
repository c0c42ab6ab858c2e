import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { ownProgram, runsOwnProgram } from '../../wire/cluster/own-programs.ts';
import { type ContainerEvent, type ContainerState, containerStates, containerTable, endedStates } from './container-states.ts';
import { byteText, errorFiles } from './diagnostics.ts';
import { containerEnvironment, type EnvironmentFacts, expand, parseVariables } from './environment.ts';
import { globPattern } from './failure-report.ts';
import { launchScript } from './launch-script.ts';

const facts: EnvironmentFacts = {
  containerId: 'container_1_0001_01_000001',
  applicationId: 'application_1_0001',
  user: 'ada',
  isMaster: true,
  submitTimeMs: 5,
  maxAttempts: 2,
  nodeHost: 'h',
  nodePort: 1,
  nodeHttpPort: 2,
  workFolder: '/w',
  applicationFolders: ['/a'],
  userFolders: ['/u/'],
  logFolders: ['/log'],
  localized: '10,20,1,2,30',
  tokenFile: '/w/container_tokens',
  homeFolder: '/home/',
  confDir: undefined,
  serviceData: new Map([['mapreduce_shuffle', Buffer.from([0, 0, 0x34, 0xfa])]]),
  administrator: new Map([['MALLOC_ARENA_MAX', '$MALLOC_ARENA_MAX']]),
};

test('the platform variables stand above those of the order', () => {
  const variables = new Map(containerEnvironment({ USER: 'eve', MINE: 'x' }, facts));
  assert.equal(variables.get('USER'), 'ada');
  assert.equal(variables.get('MINE'), 'x');
  assert.equal(variables.get('APPLICATION_WEB_PROXY_BASE'), '/proxy/application_1_0001');
  assert.equal(variables.get('MAX_APP_ATTEMPTS'), '2');
  assert.equal(variables.get('NM_AUX_SERVICE_mapreduce_shuffle'), 'AAA0+g==');
  assert.equal(variables.get('MALLOC_ARENA_MAX'), '4');
});

test('where Heddle is installed on the node is told to its own programs alone', () => {
  assert.equal(runsOwnProgram(['sleep 1', 'echo {{HEDDLE}}']), false);
  const command = `exec ${ownProgram('batch/tasks/main')} 1>&2`;
  assert.equal(runsOwnProgram(['sleep 1', command]), true);
  const ownPrograms = { runtime: '/n/node', code: '/a $b/src', suffix: '.ts' };
  const variables = new Map(containerEnvironment({ HEDDLE_NODE: '/evil' }, { ...facts, ownPrograms }));
  assert.deepEqual(
    ['HEDDLE_NODE', 'HEDDLE_CODE', 'HEDDLE_CODE_SUFFIX'].map((name) => variables.get(name)),
    ['/n/node', '/a \\$b/src', '.ts'],
  );
  assert.equal(expand(command, '/log'), "exec '$HEDDLE_NODE' '$HEDDLE_CODE/batch/tasks/main$HEDDLE_CODE_SUFFIX' 1>&2");
});

test('a variable is exported after those its value names', () => {
  const names = containerEnvironment({ A: '$B/a', B: '{{C}}/b', C: '/c' }, facts).map(([name]) => name);
  assert.ok(names.indexOf('C') < names.indexOf('B') && names.indexOf('B') < names.indexOf('A'));
});

test('names that no shell can export are left out', () => {
  assert.equal(new Map(containerEnvironment({ 'A;rm': 'x', 'B-C': 'y' }, facts)).has('A;rm'), false);
});

test('a user name cannot run commands in the script', () => {
  const variables = new Map(containerEnvironment({}, { ...facts, user: '$(touch /tmp/x)`y`"' }));
  assert.equal(variables.get('USER'), '\\$(touch /tmp/x)\\`y\\`\\"');
});

test('expansions are those of Hadoop', () => {
  assert.equal(expand('{{JAVA_HOME}}/bin/java -cp a<CPS>b 1><LOG_DIR>/stdout', '/log'), '$JAVA_HOME/bin/java -cp a:b 1>/log/stdout');
  assert.deepEqual(
    [...parseVariables('A=1,B=x,y,C=')],
    [
      ['A', '1'],
      ['B', 'x,y'],
      ['C', ''],
    ],
  );
});

test('the script sets variables, links resources, leaves debugging information and runs the command in double quotes', () => {
  const script = launchScript({
    environment: [['A', 'x']],
    inherited: [['PATH', '/bin']],
    links: new Map([['in/words.txt', '/cache/12/words "x".txt']]),
    commands: ['echo', '$A'],
    logFolder: '/log',
    debug: true,
  });
  assert.match(script, /^#!\/bin\/bash\n\nset -o pipefail -e\nexport PRELAUNCH_OUT="\/log\/prelaunch.out"\n/);
  assert.match(script, /\nexport PATH=\$\{PATH:-"\/bin"\}\nexport A="x"\n/);
  assert.match(script, /\nmkdir -p -- "in"\n[\s\S]*\nln -sf -- "\/cache\/12\/words \\"x\\".txt" "in\/words.txt"\n/);
  assert.match(script, /\nexec \/bin\/bash -c "echo \$A"\n/);
});

test('texts of sizes and error files are those of Hadoop', () => {
  assert.equal(byteText(512, 1), '512 B');
  assert.equal(byteText(2 ** 30, 1), '1 GB');
  assert.equal(byteText(1.5 * 2 ** 30, 1), '1.5 GB');
  assert.equal(byteText(17_203 * 2 ** 20, 2), '16.80 GB');
  assert.equal(byteText(2 ** 30 - 1, 1), '1.0 GB');
  assert.equal(
    errorFiles(4096, '', ['stderr'], { name: 'stderr', text: 'oops\n' }),
    'Error file: prelaunch.err.\nLast 4096 bytes of prelaunch.err :\nLast 4096 bytes of stderr :\noops\n\n',
  );
  const pattern = globPattern('{*stderr*,*STDERR*}');
  assert.deepEqual(
    ['stderr', 'my.stderr.1', 'STDERR', 'stdout'].map((name) => pattern.test(name)),
    [true, true, true, false],
  );
});

test('every random life of a container that is asked to end can end', () => {
  const random = seededRandom(3);
  const table: Record<ContainerState, Partial<Record<ContainerEvent, ContainerState>>> = containerTable;
  const finish = (state: ContainerState): ContainerState | undefined =>
    table[state].nothingToKill ?? table[state].killed ?? table[state].cleanedUp ?? table[state].kill;
  for (const start of containerStates) {
    let state: ContainerState = start;
    for (let i = 0; i < 5; i++) {
      const events = Object.values(table[state]) as ContainerState[];
      if (events.length > 0) state = events[random.int(events.length)]!;
    }
    for (let i = 0; i < 5 && state !== 'DONE'; i++) state = finish(state) ?? state;
    assert.equal(state, 'DONE', `from ${start}`);
  }
  assert.ok(endedStates.has('DONE'));
});
