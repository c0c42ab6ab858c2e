// Commands that talk to a running cluster: what they ask, what they print for people and for programs, how they end.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type CommandLine, commandsAt, type StubAnswer, type StubRequest, StubServer } from './test-support/command-line.ts';

const id = 'application_1_0001';
let answers: Record<string, StubAnswer | ((request: StubRequest) => StubAnswer)> = {};
const server = new StubServer((request) => {
  const answer = answers[`${request.method} ${request.path}`] ?? answers[request.path];
  return typeof answer === 'function' ? answer(request) : answer;
});
let commands: CommandLine;
let url: string;

before(async () => {
  url = await server.listen();
  commands = commandsAt(url);
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
beforeEach(() => {
  server.requests.length = 0;
  answers = {};
});

const heddle = (...args: string[]) => commands.run(...args);
const base = '/ws/v1/cluster';
/** Requests that change something. */
const sent = () => server.requests.filter(({ method }) => method !== 'GET');

describe('heddle app list', () => {
  it('asks below the prefix that a gateway has put the server under', async () => {
    answers[`/gate/rm${base}/apps`] = { json: { apps: null } };
    for (const address of [`${url}/gate/rm`, `${url}/gate/rm/`, `${url}/gate/rm/ui/applications`])
      assert.equal((await heddle('app', 'list', '--cluster', address)).code, 0, address);
  });

  it('sends filters to the cluster and prints the newest first', async () => {
    const app = (number: number, more = {}) => ({
      id: `application_1_000${number}`,
      startedTime: number * 1000,
      name: `n${number}`,
      ...more,
    });
    answers[`${base}/apps`] = { json: { apps: { app: [app(1), app(3, { name: 'a name that is much longer than a column' }), app(2)] } } };
    const filters = ['--state', 'RUNNING', '--queue', 'q', '--owner', 'bob', '--type', 'SPARK', '--tag', 'x', '--limit', '2'];
    const { code, out } = await heddle('app', 'list', ...filters);
    assert.equal(code, 0);
    const lines = out.trim().split('\n');
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(/\s+/)[0]),
      ['application_1_0003', 'application_1_0002'],
    );
    assert.match(lines[1] ?? '', /a name that is much longer than a column {2}/);
    const { query } = server.requests[0] as StubRequest;
    assert.deepEqual(Object.fromEntries(query), {
      'user.name': 'ada',
      states: 'RUNNING',
      queue: 'q',
      user: 'bob',
      applicationTypes: 'SPARK',
      applicationTags: 'x',
    });
  });

  it('says that there are none, and an empty list as JSON', async () => {
    answers[`${base}/apps`] = { json: { apps: null } };
    assert.equal((await heddle('app', 'list')).out, 'No applications.\n');
    assert.deepEqual(JSON.parse((await heddle('app', 'list', '--json')).out), []);
  });
});

describe('heddle app show', () => {
  it('shows what was submitted: of a run its file, of another application the facts', async () => {
    const path = `/api/v1/applications/${id}/submission`;
    const submitted = { id, name: 'n', user: 'ada', type: 'SPARK', submittedTime: 1000, tags: [], master: { memoryMiB: 512, vcores: 1 } };
    const more = { keepContainers: false, unmanaged: false, hiddenVariables: ['MY_TOKEN'], notes: ['It is hidden.'] };
    answers[path] = { json: { ...submitted, ...more, yaml: 'name: n\n' } };
    assert.equal((await heddle('app', 'show', id, '--submission')).out, 'name: n\n');
    const file = { name: 'x.jar', address: 'http://b/x.jar', archive: false };
    const launch = {
      commands: ['java Main'],
      environment: { A: 'b' },
      files: [file],
      services: ['shuffle'],
      credentials: true,
      secrets: ['S'],
    };
    answers[path] = { json: { ...submitted, ...more, launch } };
    const { out } = await heddle('app', 'show', id, '--submission');
    assert.deepEqual(
      out.split('\n').map((line) => line.split(/ {2,}/)),
      [
        ['application', id],
        ['name', 'n'],
        ['type', 'SPARK'],
        ['user', 'ada'],
        ['submitted', '1970-01-01 00:00:01Z'],
        ['master', '512 MiB, 1 vcores'],
        ['command', 'java Main'],
        ['variable A', 'b'],
        ['variable MY_TOKEN', 'hidden'],
        ['file x.jar', 'http://b/x.jar'],
        ['secrets', 'S'],
        ['services', 'shuffle'],
        ['It is hidden.'],
        [''],
      ],
    );
    assert.deepEqual(JSON.parse((await heddle('app', 'show', id, '--submission', '--json')).out).launch, launch);
  });

  it('leaves out what is unknown or hidden', async () => {
    answers[`${base}/apps/${id}`] = {
      json: {
        app: { id, state: 'ACCEPTED', finalStatus: 'UNDEFINED', allocatedMB: -1, runningContainers: -1, priority: -1, progress: 12.6 },
      },
    };
    answers[`${base}/apps/${id}/appattempts`] = { status: 403, json: {} };
    const { code, out } = await heddle('app', 'show', id);
    assert.doesNotMatch(out, /-1/);
    assert.deepEqual([code, /progress +13%/.test(out), /containers|memory|result|ATTEMPT/.test(out)], [0, true, false]);
  });

  it('says why one waits, and what shows the logs of one that failed', async () => {
    answers[`${base}/apps/${id}`] = { json: { app: { id, state: 'ACCEPTED', finalStatus: 'UNDEFINED' } } };
    answers[`/api/v1/applications/${id}/explain`] = {
      json: { id, waiting: true, sentence: 'It waits for a node.', remedy: 'It goes on when one joins.' },
    };
    assert.match((await heddle('app', 'show', id)).out, /\nwaits +It waits for a node\. It goes on when one joins\.\n/);
    answers[`${base}/apps/${id}`] = { json: { app: { id, state: 'FINISHED', finalStatus: 'FAILED', diagnostics: 'no' } } };
    const { out } = await heddle('app', 'show', id);
    assert.match(out, new RegExp(`\nlogs +"heddle app logs ${id}"\ndiagnostics +no\n`));
    assert.doesNotMatch(out, /waits/);
  });

  it('lists attempts below, and in the JSON', async () => {
    answers[`${base}/apps/${id}`] = { json: { app: { id, state: 'RUNNING', allocatedMB: 2048, runningContainers: 2 } } };
    answers[`${base}/apps/${id}/appattempts`] = {
      json: { appAttempts: { appAttempt: [{ id: 1, appAttemptState: 'RUNNING', nodeId: 'a:1', containerId: 'c' }] } },
    };
    const { out } = await heddle('app', 'show', id);
    assert.match(out, /memory +2 GiB/);
    assert.match(out, /ATTEMPT +STATE[\s\S]*1 +RUNNING +a:1 +c/);
    assert.equal(JSON.parse((await heddle('app', 'show', id, '--json')).out).attempts[0].nodeId, 'a:1');
  });
});

describe('heddle app kill', () => {
  it('waits until the application is over', async () => {
    let looks = 0;
    answers[`${base}/apps/${id}`] = () => ({ json: { app: { id, state: ++looks < 3 ? 'RUNNING' : 'KILLED' } } });
    answers[`PUT ${base}/apps/${id}/state`] = { status: 202, json: { state: 'RUNNING' } };
    const { code, out } = await heddle('app', 'kill', id);
    assert.deepEqual([code, out], [0, `${id}: KILLED\n`]);
    const put = server.requests.find(({ method }) => method === 'PUT');
    assert.deepEqual(JSON.parse(put?.body ?? ''), { state: 'KILLED' });
  });

  it('does not wait with --no-wait, and tells refusals in one line', async () => {
    answers[`${base}/apps/${id}`] = { json: { app: { id, state: 'RUNNING' } } };
    answers[`PUT ${base}/apps/${id}/state`] = { status: 202, json: { state: 'RUNNING' } };
    assert.equal((await heddle('app', 'kill', id, '--no-wait')).out, `${id}: RUNNING\n`);
    answers[`PUT ${base}/apps/${id}/state`] = {
      status: 403,
      json: { RemoteException: { exception: 'ForbiddenException', message: 'User ada may not' } },
    };
    const refused = await heddle('app', 'kill', id);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /^heddle: User ada may not\n/);
  });
});

describe('heddle node', () => {
  const node = {
    id: 'a:1',
    state: 'RUNNING',
    nodeHTTPAddress: 'a:2',
    usedMemoryMB: 1024,
    availMemoryMB: 1024,
    usedVirtualCores: 1,
    availableVirtualCores: 1,
  };

  it('asks for all states with --all, for the named ones with --state', async () => {
    answers[`${base}/nodes`] = { json: { nodes: null } };
    assert.match((await heddle('node', 'list')).out, /No nodes run; "heddle node list --all" also shows others/);
    assert.equal((await heddle('node', 'list', '--all')).out, 'No nodes.\n');
    await heddle('node', 'list', '--state', 'LOST');
    const states = server.requests.map(({ query }) => query.get('states'));
    assert.equal(states[0], null);
    assert.match(states[1] ?? '', /DECOMMISSIONED,LOST/);
    assert.equal(states[2], 'LOST');
  });

  it('lists them in the order of their numbers', async () => {
    answers[`${base}/nodes`] = { json: { nodes: { node: ['n10:1', 'n2:1', 'n1:10', 'n1:9'].map((name) => ({ ...node, id: name })) } } };
    const { out } = await heddle('node', 'list');
    assert.deepEqual([...out.matchAll(/^n\d+:\d+/gm)].join(' '), 'n1:9 n1:10 n2:1 n10:1');
  });

  it('says beside the list why nodes are unhealthy, and what helps', async () => {
    const healthReport = '1/1 local-dirs have errors:  [ /data : Cannot create directory: /data ] ; ';
    answers[`${base}/nodes`] = {
      json: {
        nodes: {
          node: [
            { ...node, healthReport: '' },
            { ...node, id: 'b:1', state: 'UNHEALTHY', healthReport },
          ],
        },
      },
    };
    const { out, err } = await heddle('node', 'list', '--all');
    assert.match(out, /\nb:1 +UNHEALTHY/);
    assert.match(err, /^heddle: b:1: 1\/1 local-dirs have errors: {2}\[ \/data : Cannot create directory: \/data \] ;\n {2}\S[^\n]+\n$/);
  });

  it('shows health with its remedy, attributes and tags', async () => {
    answers[`${base}/nodes/a%3A1`] = {
      json: {
        node: {
          ...node,
          healthReport:
            '1/1 local-dirs usable space is below configured utilization percentage/no more usable space [ /data : used space above threshold of 90.0% ] ; ',
          nodeAttributesInfo: { nodeAttributeInfo: [{ prefix: 'rm.yarn.io', name: 'java', value: '17' }] },
          allocationTags: { allocationTagInfo: [{ allocationTag: 'hbase', allocationsCount: 3 }] },
        },
      },
    };
    const { out } = await heddle('node', 'show', 'a:1');
    assert.match(out, /health +1\/1 local-dirs/);
    assert.match(out, /remedy +\S/);
    assert.match(out, /attributes +rm\.yarn\.io\/java=17/);
    assert.match(out, /allocation tags +hbase \(3\)/);
  });

  it('gives, replaces and removes attributes', async () => {
    answers['POST /api/v1/node-attributes'] = { json: {} };
    answers[`${base}/nodes`] = { json: { nodes: { node: [{ id: 'h:1' }] } } };
    assert.deepEqual(await heddle('node', 'set-attributes', 'h', 'a=1', 'b=x=y'), {
      code: 0,
      out: 'The attributes of h were changed.\n',
      err: '',
    });
    await heddle('node', 'set-attributes', 'h', 'a=2', '--replace');
    await heddle('node', 'set-attributes', 'h', 'a', '--remove');
    assert.deepEqual(
      sent().map(({ body }) => JSON.parse(body)),
      [
        {
          operation: 'add',
          nodes: [
            {
              host: 'h',
              attributes: [
                { name: 'a', value: '1' },
                { name: 'b', value: 'x=y' },
              ],
            },
          ],
        },
        { operation: 'replace', nodes: [{ host: 'h', attributes: [{ name: 'a', value: '2' }] }] },
        { operation: 'remove', nodes: [{ host: 'h', attributes: [{ name: 'a' }] }] },
      ],
    );
    for (const wrong of [['a'], [], ['--remove']])
      assert.deepEqual([(await heddle('node', 'set-attributes', 'h', ...wrong)).code, sent().length], [2, 3], wrong.join());
    const ofNode = await heddle('node', 'set-attributes', 'h:1', 'a=1');
    assert.deepEqual([ofNode.code, sent().length], [2, 3]);
    assert.match(ofNode.err, /Name the host alone: h\./);
    assert.match(
      (await heddle('node', 'set-attributes', 'g', 'a=1')).err,
      /note: the cluster has no node g yet; its nodes have the attributes/,
    );
  });

  it('lists hosts with attributes', async () => {
    answers['/api/v1/node-attributes/nodes'] = { json: { nodes: [] } };
    assert.equal((await heddle('node', 'attributes')).out, 'No host has attributes.\n');
    answers['/api/v1/node-attributes/nodes'] = {
      json: { nodes: [{ host: 'h', attributes: [{ prefix: 'p', name: 'a', type: 'STRING', value: '1' }] }] },
    };
    assert.match((await heddle('node', 'attributes')).out, /h +p\/a +1/);
  });

  it('drains with the time that is given, and says what became of the node', async () => {
    const drained = (state: string) => {
      answers['POST /api/v1/nodes/a%3A1/drain'] = { json: { nodeId: 'a:1', state } };
    };
    drained('DECOMMISSIONING');
    assert.match((await heddle('node', 'drain', 'a:1', '--timeout', '60')).out, /finishes its applications and takes nothing new/);
    drained('DECOMMISSIONED');
    assert.match((await heddle('node', 'drain', 'a:1', '--timeout', '-1')).out, /had nothing to finish and left/);
    drained('LOST');
    assert.match((await heddle('node', 'drain', 'a:1')).out, /a:1 is LOST; it stays away until it is resumed/);
    assert.equal((await heddle('node', 'drain', 'a:1', '--timeout', '-2')).code, 2);
    const bodies = server.requests.map(({ body }) => JSON.parse(body));
    assert.notDeepEqual(bodies[0], bodies[1]);
    assert.equal(bodies.length, 3);
  });

  it('puts a drained node back to work', async () => {
    answers['POST /api/v1/nodes/a%3A1/resume'] = { json: { nodeId: 'a:1', state: 'RUNNING' } };
    assert.equal((await heddle('node', 'resume', 'a:1')).out, 'a:1 works again.\n');
    answers['POST /api/v1/nodes/a%3A1/resume'] = { json: { nodeId: 'a:1', state: 'DECOMMISSIONED' } };
    assert.match((await heddle('node', 'resume', 'a:1')).out, /may come back; it is DECOMMISSIONED until it does/);
    assert.deepEqual(JSON.parse((await heddle('node', 'resume', 'a:1', '--json')).out), { nodeId: 'a:1', state: 'DECOMMISSIONED' });
  });
});

describe('heddle admin', () => {
  it('says where queues come from', async () => {
    for (const [from, says] of [
      ['file', /The queues run as f\.xml says/],
      ['store', /kept in a store and were built from it again; f\.xml counts when it is formatted/],
      ['none', /The fifo scheduler has no queue file/],
    ] as const) {
      answers['POST /api/v1/queues/refresh'] = { json: { scheduler: 'fifo', from, file: 'f.xml' } };
      assert.match((await heddle('admin', 'refresh-queues')).out, says);
    }
  });

  it('reads nodes, their sizes and access again', async () => {
    answers['POST /api/v1/nodes/refresh'] = { json: { changed: [{ nodeId: 'a:1', state: 'DECOMMISSIONED' }] } };
    assert.match((await heddle('admin', 'refresh-nodes')).out, /read its lists of nodes again\.\na:1 is DECOMMISSIONED now/);
    answers['POST /api/v1/nodes/refresh-resources'] = { json: { changed: [] } };
    assert.match((await heddle('admin', 'refresh-nodes-resources')).out, /No node that is there was changed/);
    answers['POST /api/v1/nodes/refresh-resources'] = { json: { changed: ['a:1', 'b:1'] } };
    assert.equal((await heddle('admin', 'refresh-nodes-resources')).out, 'Changed: a:1, b:1.\n');
    answers['POST /api/v1/access/refresh'] = { json: { administrators: 'root' } };
    assert.match((await heddle('admin', 'refresh-access')).out, /administrators: root/);
  });

  it('passes a refusal on with its remedy', async () => {
    answers['POST /api/v1/queues/refresh'] = {
      status: 403,
      json: { RemoteException: { exception: 'ForbiddenException', message: 'only administrators' } },
    };
    const { code, err } = await heddle('admin', 'refresh-queues');
    assert.equal(code, 1);
    assert.match(err, /^heddle: only administrators\n {2}Act as a user who may do this/);
  });
});

describe('heddle app logs', () => {
  const container = 'container_1_0001_01_000001';
  const logs = `/ws/v1/cluster/containers/${container}/logs`;

  it('says why there are none', async () => {
    answers[`${base}/apps/${id}`] = { json: { app: { id, state: 'ACCEPTED' } } };
    answers[`${base}/apps/${id}/appattempts`] = { json: { appAttempts: {} } };
    const { code, err } = await heddle('app', 'logs', id);
    assert.equal(code, 1);
    assert.match(err, new RegExp(`^heddle: there are no logs of ${id}\\n {2}Its containers have not started yet`));
    assert.deepEqual(JSON.parse((await heddle('app', 'logs', id, '--json')).out), []);
    assert.ok(server.requests.every(({ path }) => path !== logs));
  });

  it('says whom they are kept from, also to one who follows them', async () => {
    answers[`${base}/apps/${id}`] = { json: { app: { id, state: 'RUNNING' } } };
    answers[`${base}/apps/${id}/appattempts`] = { json: { appAttempts: { appAttempt: [{ containerId: container }] } } };
    const message = `User [eve] is not authorized to view the logs for application ${id}`;
    answers[`/api/v1/containers/${container}/logs`] = { status: 403, json: { RemoteException: { exception: 'YarnException', message } } };
    for (const more of [[], ['--follow'], ['--list'], ['--json'], ['--file', 'stdout']]) {
      const { code, err, out } = await heddle('app', 'logs', id, ...more);
      assert.deepEqual([code, out], [1, ''], more.join(' '));
      assert.ok(err.startsWith(`heddle: ${message}\n  Act as a user who may do this`), err);
    }
  });

  it('names the files that there are where the one that was asked for is none of them', async () => {
    answers[`${base}/apps/${id}`] = { json: { app: { id, state: 'RUNNING' } } };
    answers[`${base}/apps/${id}/appattempts`] = { json: { appAttempts: { appAttempt: [{ containerId: container }] } } };
    answers[`/api/v1/containers/${container}/logs`] = { json: { files: ['stdout', 'syslog'].map((name) => ({ name, bytes: 3 })) } };
    const { code, err } = await heddle('app', 'logs', id, '--file', 'stdot');
    assert.deepEqual(
      [code, err],
      [1, `heddle: there is no such log of ${id}\n  There are stdout, syslog; --list shows which container has which.\n`],
    );
    assert.equal((await heddle('app', 'logs', id, '--container', 'x')).code, 2);
  });
});

describe('what there is none of', () => {
  it('is said in words, with what makes one', async () => {
    answers['/api/v1/tokens'] = { json: { tokens: [] } };
    answers['/api/v1/webhooks'] = { json: { webhooks: [] } };
    assert.match((await heddle('token', 'list')).out, /^No tokens; "heddle token create/);
    assert.match((await heddle('webhook', 'list')).out, /^No webhooks; "heddle webhook add/);
  });

  it('in the words of Hadoop comes with what shows the names there are', async () => {
    const refusals: [said: string, remedy: RegExp][] = [
      ['Invalid ApplicationId prefix: x. The valid ApplicationId should start with prefix application', /"heddle app list"/],
      ['Invalid ContainerId: x', /"heddle app containers ID"/],
      ['Trying to signal an absent container container_1_0001_01_000009', /"heddle app containers ID"/],
      ['Invalid NodeId [x]. Expected host:port', /"heddle node list --all"/],
      ['Not all labels being replaced contained by known label collections, please check, new labels=[x]', /"heddle label list"/],
      ["The specified Queue: x doesn't exist", /"heddle queue list"/],
      ['You have a schedule nightly already.', /--replace/],
      ['root has a token named x already', /"heddle token revoke NAME"/],
      ["'x' is no cron expression: it has one part", /'30 2 \* \* 1-5'/],
      ['The specified Reservation with ID reservation_1_0001 does not exist in the plan', /"heddle reservation list QUEUE"/],
      [
        'Application application_1_0002 submitted to a reservation which is not currently active: reservation_1_0001',
        /"heddle reservation list QUEUE"/,
      ],
      [
        'org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions.PlanningException: The request cannot be satisfied',
        /--until/,
      ],
      [
        'The time difference (1) between arrival (1) and deadline (2) must  be greater or equal to the minimum resource duration (9)',
        /--until/,
      ],
      ['Exclusivity cannot be modified for an existing label with : <gpu:exclusivity=false>', /"heddle label remove"/],
      ['Failed to re-init queues : Illegal capacity of -5.0 for queue root.etl', /from 0 to 100/],
      ['Incomplete entity without entity id/type', /entitytype/],
      ['There is nothing at /ws/v1/cluster/nodes.', /--cluster URL/],
      ['The specified reservation id is invalid: x', /"heddle reservation list QUEUE"/],
      [
        'The specified queue: root.default is not managed by reservation system. Please try again with a valid reservable queue.',
        /reservable=true/,
      ],
      ['Node-label-based scheduling is disabled. Please check yarn.node-labels.enabled', /yarn\.node-labels\.enabled=true/],
      ["Node label=x to be removed doesn't existed in cluster node labels collection.", /"heddle label list"/],
      ['The specified Queue: root.etl is not a Leaf Queue.', /"heddle queue list"/],
    ];
    for (const [message, remedy] of refusals) {
      answers[`${base}/nodes`] = { status: 400, json: { RemoteException: { exception: 'BadRequestException', message } } };
      assert.match((await heddle('node', 'list')).err, new RegExp(`^heddle: .*\\n  .*${remedy.source}`), message);
    }
  });
});

describe('who may not', () => {
  it('is told of a token with the scope that it takes, and where what is unknown is listed', async () => {
    const answer = (status: number, message: string) => ({ status, json: { RemoteException: { exception: 'x', message } } });
    answers[`${base}/nodes`] = answer(403, 'The token of ada has the scope read; this needs the scope submit.');
    assert.match(
      (await heddle('node', 'list')).err,
      /\n {2}Give another with --token-file: "heddle token create NAME --scope submit" makes one\.\n/,
    );
    for (const [status, said, remedy] of [
      [
        401,
        'Callers need not prove their names here, so on loopback only the unix user who runs this server, root and containers are served; …',
        /\n {2}A name does not help\. Have who is served make you a token/,
      ],
      [401, 'The bearer token does not count: it has expired.', /"heddle token create NAME" makes one/],
      [403, 'The token of ada does not reach the queue x.', /"heddle token create NAME --queue QUEUE"/],
      [
        403,
        'Tokens are made, listed and revoked with a bearer token of the scope admin for all queues, or without a token.',
        /Leave --token-file away/,
      ],
    ] as const) {
      answers[`${base}/nodes`] = answer(status, said);
      assert.match((await heddle('node', 'list')).err, remedy);
    }
    answers[`${base}/nodes`] = answer(404, 'You have no schedule x.');
    assert.match((await heddle('node', 'list')).err, /\n {2}"heddle schedule list" shows those there are\.\n/);
  });
});

describe('which cluster is asked', () => {
  it('is refused when its address is none', async () => {
    for (const address of ['http://', 'host:port', 'http://h:99999']) {
      const { code, err } = await heddle('node', 'list', '--cluster', address);
      assert.equal(code, 2, address);
      assert.match(err, /is no address\n {2}Give for example http:\/\/127\.0\.0\.1:8088/, address);
    }
  });

  it('is the one of --cluster before the variable, as the user of --user before the variable', async () => {
    answers[`${base}/nodes`] = { json: { nodes: null } };
    await heddle('node', 'list', '--cluster', url.replace('http://', ''), '--user', 'bob');
    assert.equal(server.requests.at(-1)?.query.get('user.name'), 'bob');
  });

  it('is told to be the wrong server where it answers without sense', async () => {
    answers[`${base}/nodes`] = { text: '<html>hello</html>' };
    const { code, err } = await heddle('node', 'list');
    assert.equal(code, 1);
    assert.match(err, /^heddle: /);
    assert.doesNotMatch(err, /\n\s+at /);
  });
});

describe('heddle config', () => {
  it('explains a setting with its type, default, unit and variable', async () => {
    const { out } = await heddle('config', 'explain', 'yarn.resourcemanager.am.max-attempts', '--json');
    const facts = JSON.parse(out);
    assert.deepEqual([facts.key, facts.source], ['yarn.resourcemanager.am.max-attempts', 'defaults']);
    assert.ok(facts.about.length > 10 && facts.environment.startsWith('HEDDLE_') && Number(facts.default) > 0, out);
  });

  it('proposes near keys for an unknown one, and tells what others set', async () => {
    const unknown = await heddle('config', 'explain', 'yarn.acl.enabled');
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /there is no setting yarn\.acl\.enabled\n {2}Did you mean yarn\.acl\.enable/);
    const other = await heddle('config', 'explain', 'my.own.key', '--set', 'my.own.key=5');
    assert.match(other.out, /Heddle does not implement it; other settings can refer to it as \$\{my\.own\.key\}/);
  });

  it('shows what is set, and hides values that are secret', async () => {
    assert.match((await heddle('config', 'show')).out, /All settings have their defaults/);
    const { out } = await heddle('config', 'show', '--set', 'yarn.acl.enable=true', '--set', 'my.service.password=hunter2');
    assert.match(out, /yarn\.acl\.enable +true +command line/);
    assert.match(out, /my\.service\.password +\(hidden\)/);
    assert.doesNotMatch(out, /hunter2/);
    assert.ok(JSON.parse((await heddle('config', 'show', '--all', '--json')).out).length > 200);
  });
});

describe('usage', () => {
  it('is printed without a command, and near words are proposed', async () => {
    const none = await heddle();
    assert.equal(none.code, 2);
    assert.match(none.out, /Usage: heddle/);
    const wrong = await heddle('aap', 'list');
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /Did you mean app/);
    const other = await heddle('application', '-kill', 'application_1_0001');
    assert.deepEqual([other.code, /Here that is "heddle app kill ID"/.test(other.err)], [2, true]);
    assert.match((await heddle('app', '-list')).err, /Here that is "heddle app list"/);
    assert.equal((await heddle('--version')).code, 0);
    assert.equal((await heddle('node', 'drain', '--help')).code, 0);
  });
});

describe('heddle events', () => {
  const event = (number: number, more: object = {}) => ({ id: `7-${number}`, kind: 'application.state', time: number * 1000, ...more });

  it('asks for what is kept until there is no more, and prints a line for each', async () => {
    const slices = [
      { events: [event(1, { applicationId: id, from: 'ACCEPTED', to: 'RUNNING' })], next: '7-1', missed: false },
      {
        events: [event(2, { kind: 'application.finished', applicationId: id, diagnostics: 'why\nat length' })],
        next: '7-2',
        missed: false,
      },
    ];
    answers['/api/v1/events'] = ({ query }) => ({
      json: slices[['oldest', '7-1'].indexOf(query.get('from') ?? '')] ?? { events: [], next: '7-2', missed: false },
    });
    const { code, out } = await heddle('events', id, '--kind', 'application', '--owner', 'bob', '--queue', 'q');
    assert.equal(code, 0);
    assert.deepEqual(out.trim().split('\n'), [
      `1970-01-01 00:00:01Z  application.state     ${id}  from=ACCEPTED  to=RUNNING`,
      `1970-01-01 00:00:02Z  application.finished  ${id}  diagnostics=why…`,
    ]);
    const { query } = server.requests[0] as StubRequest;
    assert.deepEqual(Object.fromEntries(query), {
      'user.name': 'ada',
      application: id,
      kind: 'application',
      user: 'bob',
      queue: 'q',
      from: 'oldest',
      wait: '0',
    });
  });

  it('says where events are forgotten, and prints JSON a line each', async () => {
    answers['/api/v1/events'] = ({ query }) => ({
      json: query.get('from') === '6-9' ? { events: [event(1)], next: '7-1', missed: true } : { events: [], next: '7-1', missed: false },
    });
    const { out, err } = await heddle('events', '--from', '6-9', '--json');
    assert.deepEqual(JSON.parse(out), event(1));
    assert.match(err, /are forgotten/);
  });

  it('says that there were none', async () => {
    answers['/api/v1/events'] = { json: { events: [], next: '7-1', missed: false } };
    assert.deepEqual(await heddle('events'), { code: 0, out: '', err: 'No events in the last hour.\n' });
    answers[`${base}/apps/${id}`] = { json: { app: { id } } };
    assert.equal((await heddle('app', 'events', id)).err, 'No events of what was asked for in the last hour.\n');
    const unknown = await heddle('app', 'events', 'application_1_0009');
    assert.deepEqual([unknown.code, /"heddle app list" shows/.test(unknown.err)], [1, true]);
  });
});
