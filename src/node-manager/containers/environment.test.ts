// The variables of containers, exported by the script itself: what a program really finds.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { containerEnvironment, type EnvironmentFacts, expand, isVariableName, parseVariables } from './environment.ts';
import { addedOpens } from './java-options.ts';
import { launchScript } from './launch-script.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-environment-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const facts = (more: Partial<EnvironmentFacts> = {}): EnvironmentFacts => ({
  containerId: 'container_1_0001_01_000002',
  applicationId: 'application_1_0001',
  user: 'ann',
  isMaster: false,
  submitTimeMs: 17,
  maxAttempts: 2,
  nodeHost: 'n1',
  nodePort: 45454,
  nodeHttpPort: 8042,
  workFolder: folder,
  applicationFolders: ['/l1/app', '/l2/app'],
  userFolders: ['/l1/user/'],
  logFolders: [folder],
  localized: '10,20,1,2,30',
  tokenFile: '/t/container_tokens',
  homeFolder: '/home/',
  confDir: undefined,
  serviceData: new Map(),
  administrator: new Map(),
  ...more,
});

/** What a program started by the script finds in its environment. */
function exported(
  order: Record<string, string>,
  more: Partial<EnvironmentFacts> = {},
  inherited: readonly (readonly [string, string])[] = [],
) {
  const out = join(folder, 'out');
  const script = launchScript({
    environment: containerEnvironment(order, facts(more)),
    inherited,
    links: new Map(),
    commands: [`env -0 > ${out}`],
    logFolder: folder,
    debug: false,
  });
  execFileSync('/bin/bash', ['-c', script], { cwd: folder, env: { PATH: process.env['PATH'] ?? '', FROM_NODE: 'theirs' } });
  return Object.fromEntries(
    readFileSync(out, 'utf8')
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

describe('a program in a container', () => {
  it('finds what YARN promises', () => {
    const environment = exported({});
    for (const [name, value] of Object.entries({
      CONTAINER_ID: 'container_1_0001_01_000002',
      NM_HOST: 'n1',
      NM_PORT: '45454',
      NM_HTTP_PORT: '8042',
      LOCAL_DIRS: '/l1/app,/l2/app',
      LOCAL_USER_DIRS: '/l1/user/',
      LOG_DIRS: folder,
      USER: 'ann',
      LOGNAME: 'ann',
      LOCALIZATION_COUNTERS: '10,20,1,2,30',
      HADOOP_TOKEN_FILE_LOCATION: '/t/container_tokens',
      MALLOC_ARENA_MAX: '4',
    }))
      assert.equal(environment[name], value, name);
    for (const name of ['APPLICATION_WEB_PROXY_BASE', 'APP_SUBMIT_TIME_ENV', 'MAX_APP_ATTEMPTS', 'HADOOP_CONF_DIR'])
      assert.equal(environment[name], undefined, name);
  });

  it('finds more as a master', () => {
    const environment = exported({}, { isMaster: true, confDir: '/conf' });
    assert.deepEqual(
      ['APPLICATION_WEB_PROXY_BASE', 'APP_SUBMIT_TIME_ENV', 'MAX_APP_ATTEMPTS', 'HADOOP_CONF_DIR'].map((name) => environment[name]),
      ['/proxy/application_1_0001', '17', '2', '/conf'],
    );
  });

  it('finds the values of its order, with those that they name', () => {
    const environment = exported({
      FIRST: '$SECOND/bin',
      SECOND: '{{HOME}}/x',
      LOGS: '<LOG_DIR>/a',
      CLASSES: 'a<CPS>b',
      THIRD: '${FIRST}!',
    });
    assert.deepEqual(
      [environment['FIRST'], environment['SECOND'], environment['LOGS'], environment['CLASSES'], environment['THIRD']],
      ['/home//x/bin', '/home//x', `${folder}/a`, 'a:b', '/home//x/bin!'],
    );
  });

  it('finds its own Hadoop settings where its order names some, those of the node else', () => {
    const found = (order: Record<string, string>) => exported(order, { confDir: '/node $conf' })['HADOOP_CONF_DIR'];
    assert.deepEqual([found({ HADOOP_CONF_DIR: '{{PWD}}/mine' }), found({})], [`${folder}/mine`, '/node $conf']);
  });

  it('cannot take over what the node says', () => {
    const environment = exported({ CONTAINER_ID: 'container_9', USER: 'root', LOCAL_DIRS: '/', 'not a name': 'x', 'X;touch': 'y' });
    assert.deepEqual(
      [environment['CONTAINER_ID'], environment['USER'], environment['LOCAL_DIRS']],
      ['container_1_0001_01_000002', 'ann', '/l1/app,/l2/app'],
    );
    assert.equal(environment['not a name'], undefined);
  });

  it('finds values of the node as they are, whatever stands in them', () => {
    const random = seededRandom(20_261_122);
    const letters = ['a', '$', '`', '"', '\\', "'", ' ', '{', '}', ';', '(', ')', '&', '|', 'ü'];
    for (let i = 0; i < 8; i++) {
      const devices = Array.from({ length: 6 }, (_, n): [string, string] => [
        `DEVICE_${n}`,
        Array.from({ length: 1 + random.int(12) }, () => letters[random.int(letters.length)]).join(''),
      ]);
      const environment = exported({}, { devices });
      for (const [name, value] of devices) assert.equal(environment[name], value);
    }
  });

  it('keeps a variable of the node manager where the node has its own value for it only as a default', () => {
    const environment = exported({}, {}, [
      ['FROM_NODE', 'default'],
      ['ABSENT', 'default'],
    ]);
    assert.deepEqual([environment['FROM_NODE'], environment['ABSENT']], ['theirs', 'default']);
  });

  it('gets data of auxiliary services in base64, and what administrators add unless it names itself', () => {
    const environment = exported(
      {},
      {
        serviceData: new Map([['mapreduce_shuffle', Buffer.from([0, 1, 2])]]),
        administrator: new Map([
          ['ADDED', 'x'],
          ['SELF', 'x:$SELF'],
        ]),
      },
    );
    assert.deepEqual(
      [environment['NM_AUX_SERVICE_mapreduce_shuffle'], environment['ADDED'], environment['SELF']],
      ['AAEC', 'x', undefined],
    );
  });

  it('is started also where variables name each other in a circle', () => {
    const environment = exported({ A: '$B', B: '$A' });
    assert.deepEqual([environment['A'], environment['B']], ['', '']);
  });
});

describe('texts of variables', () => {
  it('are expanded as Hadoop does', () => {
    assert.equal(expand('{{JAVA_HOME}}/bin/java 1><LOG_DIR>/out {{A}}<CPS>{{B}}', '/logs'), '$JAVA_HOME/bin/java 1>/logs/out $A:$B');
  });

  it('have the options that their Java needs, where it is one that needs them', async () => {
    const home = (version: string) => {
      const path = mkdtempSync(join(tmpdir(), 'java-'));
      writeFileSync(join(path, 'release'), `IMPLEMENTOR="X"\nJAVA_VERSION="${version}"\n`);
      return path;
    };
    const [eight, seventeen] = [home('1.8.0_392'), home('17.0.15')];
    mkdirSync(join(seventeen, 'bin'));
    writeFileSync(join(seventeen, 'bin/java'), '');
    const opens = (ordered?: string, javaHome?: string, path?: string) => addedOpens({ ordered, javaHome, path });
    const added = await opens(seventeen);
    assert.match(added, /^--add-opens=java\.base\/java\.lang=ALL-UNNAMED --add-exports=/);
    assert.equal(await opens(eight, seventeen), '');
    assert.equal(await opens('$OTHER', seventeen), added);
    assert.equal(await opens(undefined, undefined, `relative:${eight}/bin:${seventeen}/bin`), added);
    assert.equal(await opens(undefined, '/nowhere'), '');
    const pipe = mkdtempSync(join(tmpdir(), 'java-'));
    execFileSync('mkfifo', [join(pipe, 'release')]);
    assert.equal(await opens(pipe), '', 'nobody waits for who would write to it');
    assert.equal(expand('java <ADD_OPENS> Main', '/logs', added), `java ${added} Main`);
    for (const path of [eight, seventeen, pipe]) rmSync(path, { recursive: true });
  });

  it('have names that a shell can export', () => {
    assert.deepEqual(['A', '_a1', '1A', 'A-B', '', 'A B', 'Ä'].map(isVariableName), [true, true, false, false, false, false, false]);
  });

  it('are read from lists whose values may have commas', () => {
    assert.deepEqual(
      [...parseVariables('A=1,B=x,y,C=')],
      [
        ['A', '1'],
        ['B', 'x,y'],
        ['C', ''],
      ],
    );
    assert.deepEqual([...parseVariables('')], []);
  });
});
