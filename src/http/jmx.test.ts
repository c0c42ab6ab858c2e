import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { groupMapping } from '../auth/groups.ts';
import { RpcFigures } from '../lib/rpc-figures.ts';
import { answerBeans, type Bean, Float, httpBeans, jmxRoutes, metricsSystemBeans } from './jmx.ts';
import { processBeans } from './process-beans.ts';
import { RequestFigures } from './request-figures.ts';
import { rpcBeans } from './rpc-samples.ts';

const beans: Bean[] = [
  { name: 'Hadoop:service=X,name=Cluster', modelerType: 'Cluster', attributes: { Nodes: 1, Load: new Float(2) } },
  { name: 'Hadoop:service=X,name=Queue,q0=root,q1=a', modelerType: 'Queue', attributes: { 'tag.Queue': 'root.a' } },
];
const body = (query?: string, get?: string): string => {
  const answer = answerBeans(beans, query, get);
  assert.equal(answer.kind, 'rendered');
  return answer.kind === 'rendered' ? answer.body : '';
};
const names = (query?: string): string[] => JSON.parse(body(query)).beans.map((bean: Bean) => bean.name);

describe('beans', () => {
  it('selects by pattern', () => {
    assert.equal(names().length, 2);
    assert.equal(names('Hadoop:*').length, 2);
    assert.deepEqual(names('Hadoop:service=X,name=Cluster'), ['Hadoop:service=X,name=Cluster']);
    assert.deepEqual(names('Hadoop:service=X,name=Queue,*'), ['Hadoop:service=X,name=Queue,q0=root,q1=a']);
    assert.deepEqual(names('Hadoop:name=nothing'), []);
  });
  it('writes as Jackson does', () => {
    assert.equal(body('nothing'), '{ }');
    assert.equal(body('Hadoop:name=nothing'), '{\n  "beans" : [ ]\n}');
    assert.match(body(undefined, 'Hadoop:service=X,name=Cluster::Load'), /"Load" : 2\.0\n {2}} \]/);
  });
  it('says what is wrong with an attribute', () => {
    assert.match(body(undefined, 'nothing'), /"message" : "query format is not as expected\."/);
    assert.match(
      body(undefined, 'Hadoop:service=X,name=Cluster::Other'),
      /"result" : "ERROR",\n {4}"message" : "No attribute with name Other was found\."/,
    );
  });
});

it('is for pages of other origins where the cross-origin settings say so alone', () => {
  const allowed = (isOfPage: boolean) => answerBeans(beans, undefined, undefined, isOfPage).headers?.['access-control-allow-origin'];
  assert.deepEqual([allowed(false), allowed(true)], ['*', undefined]);
});

describe('patterns', () => {
  const all: Bean[] = ['a:type=Memory', 'a:type=Runtime,name=x', 'b.c:type=Memory', `a:type=${'a'.repeat(60)}`].map((name) => ({
    name,
    modelerType: 'm',
    attributes: {},
  }));
  const matching = (query: string): string[] => {
    const answer = answerBeans(all, query, undefined);
    return JSON.parse(answer.kind === 'rendered' ? answer.body : '').beans.map(({ name }: Bean) => name.slice(0, 21));
  };

  it('have stars and question marks for letters, in domains and values', () => {
    assert.deepEqual(matching('*:type=Memory'), ['a:type=Memory', 'b.c:type=Memory']);
    assert.deepEqual(matching('?:type=Mem*'), ['a:type=Memory']);
    assert.deepEqual(matching('b?c:type=*'), ['b.c:type=Memory']);
    assert.deepEqual(matching('a:type=?emor?'), ['a:type=Memory']);
    assert.deepEqual(matching('a:name=*,*'), ['a:type=Runtime,name=x']);
    assert.deepEqual(matching('*'), matching('*:*'));
    assert.deepEqual(matching('a:type=Memory.'), []);
    assert.deepEqual(matching('a:type='), []);
  });

  it('have no other signs: points and brackets are letters', () => {
    assert.deepEqual(matching('b.c:type=Memory'), ['b.c:type=Memory']);
    for (const query of ['b.c:type=Mem.ry', 'a:type=(Memory|x)', 'a:type=[A-Z]emory', 'a:type=M+emory', 'a:type=^Memory$'])
      assert.deepEqual(matching(query), [], query);
  });

  it('of any number of stars are answered at once', () => {
    // An expression of these would try more ways than there is time for.
    assert.deepEqual(matching(`a:type=${'*a'.repeat(50)}*b`), []);
    assert.deepEqual(matching(`a:type=${'*?'.repeat(40)}*`), ['a:type=aaaaaaaaaaaaaa']);
    assert.deepEqual(matching(`a:type=${'*'.repeat(5000)}`).length, 2);
  });
});

describe('attributes', () => {
  const get = (name: string): string => body(undefined, name);

  it('are those of the bean alone, not what every object has', () => {
    for (const attribute of ['constructor', 'toString', '__proto__'])
      assert.match(get(`Hadoop:service=X,name=Cluster::${attribute}`), /"result" : "ERROR"/, attribute);
  });

  it('are those of all beans that a pattern names, up to the first without it', () => {
    const beans = ['x', 'y', 'z'].map((name) => ({
      name: `a:name=${name}`,
      modelerType: 'm',
      attributes: name === 'z' ? {} : { Load: name },
    }));
    const said = (get: string) => {
      const answer = answerBeans(beans, undefined, get);
      return JSON.parse(answer.kind === 'rendered' ? answer.body : '').beans.map(
        (bean: Record<string, unknown>) => bean['Load'] ?? bean['result'],
      );
    };
    assert.deepEqual(said('a:name=*::Load'), ['x', 'y', 'ERROR']);
    assert.deepEqual(said('a:*::Load'), ['x', 'y', 'ERROR']);
    assert.deepEqual(said('a:name=*::Other'), ['ERROR']);
    assert.deepEqual(said('b:*::Load'), []);
  });

  it('are asked for by a name and an attribute', () => {
    for (const name of ['a::b::c', '::x', 'Hadoop:service=X,name=Cluster::', 'Hadoop:service=X,name=Cluster'])
      assert.match(get(name), /ERROR|\{ \}/, name);
    assert.equal(get('Hadoop:service=Y,name=Cluster::Load'), '{\n  "beans" : [ ]\n}');
  });
});

describe('values', () => {
  it('are written in the pretty form of Jackson', () => {
    const bean: Bean = {
      name: 'a:type=b',
      modelerType: 'm',
      attributes: {
        list: [1, new Float(0.5), new Float(3), new Float(Math.fround(0.3), 'float')],
        none: [],
        map: { a: null, b: {} },
        text: 'a"b',
        absent: undefined,
      },
    };
    const answer = answerBeans([bean], '*', undefined);
    assert.equal(
      answer.kind === 'rendered' && answer.body,
      '{\n  "beans" : [ {\n    "name" : "a:type=b",\n    "modelerType" : "m",\n    "list" : [ 1, 0.5, 3.0, 0.3 ],\n    "none" : [ ],\n    "map" : {\n      "a" : null,\n      "b" : { }\n    },\n    "text" : "a\\"b"\n  } ]\n}',
    );
  });
});

describe('what a server answered', () => {
  it('is told as Jetty tells it, once it listens', () => {
    const figures = new RequestFigures();
    assert.deepEqual(httpBeans('NodeManager', 'h', figures), []);
    figures.port = 8042;
    figures.begun();
    figures.begun();
    figures.answered(200);
    figures.ended(10, false);
    figures.answered(404);
    figures.ended(30, true);
    figures.begun();
    const sockets = [100, 40].map((bytesWritten) => Object.assign(new EventEmitter(), { bytesRead: 7, bytesWritten }));
    for (const socket of sockets) figures.bytes.connected(socket);
    sockets[0]!.emit('close');
    const [bean] = httpBeans('NodeManager', 'h', figures);
    assert.equal(bean?.name, 'Hadoop:service=NodeManager,name=HttpServer2-8042');
    const { StatsOnMs: since, ...told } = bean!.attributes as Record<string, unknown>;
    assert.ok(typeof since === 'number' && since >= 0);
    const times = { TimeMax: 30, TimeMean: new Float(20), TimeStdDev: new Float(10), TimeTotal: 40 };
    const timed = (of: string) => Object.fromEntries(Object.entries(times).map(([name, value]) => [of + name, value]));
    assert.deepEqual(told, {
      'tag.Context': 'http',
      'tag.Hostname': 'h',
      Dispatched: 3,
      AsyncDispatches: 0,
      AsyncRequests: 0,
      AsyncRequestsWaiting: 0,
      AsyncRequestsWaitingMax: 0,
      DispatchedActive: 1,
      DispatchedActiveMax: 2,
      ...timed('Dispatched'),
      Requests: 3,
      RequestsActive: 1,
      RequestsActiveMax: 2,
      ...timed('Request'),
      Responses1xx: 0,
      Responses2xx: 1,
      Responses3xx: 0,
      Responses4xx: 1,
      Responses5xx: 0,
      ResponsesBytesTotal: 140,
      Expires: 0,
    });
  });
});

describe('ports of Hadoop RPC', () => {
  it('tell how often each method of a protocol that was spoken was called, and how long it took', () => {
    const rpc = new RpcFigures();
    const port = rpc.add('MRClientProtocol');
    assert.deepEqual(rpcBeans('JobHistoryServer', 'h', rpc), []);
    port.port = 10020;
    port.called('getJobReport', 2, ['getJobReport', 'killJob']);
    port.called('getJobReport', 4);
    port.answered = 2;
    port.failed = 1;
    port.backedOff = 3;
    port.rate.add(5, performance.now());
    const socket = () => Object.assign(new EventEmitter(), { bytesRead: 0, bytesWritten: 0 });
    const closed = socket();
    for (const [user, of] of [
      ['ada', socket()],
      ['ada', closed],
      ['bob', closed],
    ] as const)
      port.admit(user, of);
    closed.emit('close');
    const [activity, detailed] = rpcBeans('JobHistoryServer', 'h', rpc);
    const told = activity!.attributes;
    assert.deepEqual([told['RpcCallSuccesses'], told['TotalRequests'], told['TotalRequestsPerSecond']], [1, 2, 5]);
    assert.deepEqual([told['RpcClientBackoff'], told['tag.NumOpenConnectionsPerUser']], [3, '{"ada":1}']);
    assert.equal(detailed?.name, 'Hadoop:service=JobHistoryServer,name=RpcDetailedActivityForPort10020');
    assert.deepEqual(detailed?.attributes, {
      'tag.port': '10020',
      'tag.Context': 'rpcdetailed',
      'tag.Hostname': 'h',
      DeferredGetJobReportNumOps: 0,
      DeferredGetJobReportAvgTime: new Float(0),
      DeferredKillJobNumOps: 0,
      DeferredKillJobAvgTime: new Float(0),
      OverallGetJobReportNumOps: 2,
      OverallGetJobReportAvgTime: new Float(3),
      OverallKillJobNumOps: 0,
      OverallKillJobAvgTime: new Float(0),
      GetJobReportNumOps: 2,
      GetJobReportAvgTime: new Float(3),
      KillJobNumOps: 0,
      KillJobAvgTime: new Float(0),
    });
  });
});

describe('the process', () => {
  it('tells what monitors of Java daemons ask for', () => {
    const found = processBeans('ResourceManager', 'host');
    const answer = answerBeans(found, undefined, undefined);
    const { beans: written } = JSON.parse(answer.kind === 'rendered' ? answer.body : '');
    const bean = (name: string) => written.find((each: { name: string }) => each.name === name);
    const machine = bean('Hadoop:service=ResourceManager,name=JvmMetrics');
    assert.equal(machine['tag.Hostname'], 'host');
    assert.ok(machine.MemHeapUsedM > 1 && machine.MemHeapMaxM >= machine.MemHeapCommittedM && machine.ThreadsRunnable >= 1);
    const { used, committed, max } = bean('java.lang:type=Memory').HeapMemoryUsage;
    assert.ok(used > 1e6 && committed <= max);
    const spaces = written.filter(({ name }: { name: string }) => name.endsWith(',type=MemoryPool'));
    assert.ok(spaces.some((space: { Name: string; Usage: { used: number } }) => space.Name === 'old_space' && space.Usage.used > 1e6));
    for (const collector of ['V8 Scavenger', 'V8 Mark-Compact'])
      assert.equal(bean(`java.lang:name=${collector},type=GarbageCollector`).Valid, true);
    const { Pid, Uptime } = bean('java.lang:type=Runtime');
    assert.ok(Pid === process.pid && Uptime > 0);
    const { ThreadCount, PeakThreadCount, AllThreadIds } = bean('java.lang:type=Threading');
    assert.ok(AllThreadIds.length === ThreadCount && ThreadCount <= PeakThreadCount);
    const system = bean('java.lang:type=OperatingSystem');
    assert.ok(system.ProcessCpuTime > 0 && system.MaxFileDescriptorCount >= system.OpenFileDescriptorCount);
    assert.ok(system.SystemCpuLoad >= 0 && system.SystemCpuLoad <= 1);
  });

  /** Names and order of Hadoop 3.4.2's bean, right after the start. */
  it('is one user from its start on, and says how often it read groups', () => {
    const identity = () => processBeans('NodeManager', 'host').find(({ name }) => name === 'Hadoop:service=NodeManager,name=UgiMetrics');
    const before = identity()!.attributes;
    assert.deepEqual(Object.keys(before), [
      ...['tag.Context', 'tag.Hostname', 'GetGroupsNumOps', 'GetGroupsAvgTime', 'LoginFailureNumOps', 'LoginFailureAvgTime'],
      ...['LoginSuccessNumOps', 'LoginSuccessAvgTime', 'RenewalFailures', 'RenewalFailuresTotal'],
    ]);
    assert.deepEqual([before['tag.Context'], before['LoginSuccessNumOps'], before['LoginFailureNumOps']], ['ugi', 1, 0]);
    const groupsOf = groupMapping('fixed=a');
    groupsOf('fixed');
    assert.equal(
      identity()!.attributes['GetGroupsNumOps'],
      before['GetGroupsNumOps'],
      'nothing was read for a user whom the settings name',
    );
    groupsOf('root');
    groupsOf('nobody');
    assert.equal(identity()!.attributes['GetGroupsNumOps'], Number(before['GetGroupsNumOps']) + 1);
  });

  it('is asked at each request', () => {
    let asked = 0;
    const routes = jmxRoutes(() => {
      asked++;
      return [];
    });
    assert.ok(routes.some(({ method, path }) => method === 'GET' && path === '/jmx'));
    assert.equal(asked, 0);
  });

  it('tells how many sources of metrics there are', () => {
    const others: Bean[] = [
      { name: 'Hadoop:service=S,name=A', modelerType: 'A', attributes: { 'tag.Context': 'yarn' } },
      { name: 'Hadoop:service=S,name=B', modelerType: 'B', attributes: {} },
    ];
    const answer = (query: string) => {
      const { body } = answerBeans([...others, ...metricsSystemBeans('S', 'host', others)], query, undefined) as { body: string };
      return JSON.parse(body).beans;
    };
    const [stats] = answer('Hadoop:service=S,name=MetricsSystem,sub=Stats');
    assert.deepEqual([stats.NumActiveSources, stats.NumAllSources, stats.NumAllSinks, stats.PublishNumOps], [2, 2, 0, 0]);
    assert.deepEqual(answer('Hadoop:*,sub=Control'), [
      { name: 'Hadoop:service=S,name=MetricsSystem,sub=Control', modelerType: 'org.apache.hadoop.metrics2.impl.MetricsSystemImpl' },
    ]);
    assert.equal(answer('Hadoop:service=S,name=MetricsSystem,*').length, 2);
  });
});
