import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { longMaximum, ResourceTypes } from '../../model/resource.ts';
import type { RecordDescription } from '../codec/describe.ts';
import { writeJson } from '../codec/json.ts';
import { readBody } from '../codec/read.ts';
import { writeXml } from '../codec/xml.ts';
import { type ActivityNode, activities, applicationActivities, bulkActivities } from './activities.ts';
import { app, appPriority, appQueue, appState, appStatistics, apps, appTimeout, appTimeouts, newApplication } from './application.ts';
import { appAttempt, appAttempts, containerRecord, containers } from './attempt.ts';
import { clusterInfo, clusterMetrics, clusterUserInfo } from './cluster-info.ts';
import { delegationToken } from './delegation-token.ts';
import { applicationExplanation } from './explanation.ts';
import { node, nodes } from './node.ts';
import { labelsToNodes, nodeLabels, nodeToLabels, nodeToLabelsEntries } from './node-labels.ts';
import { ownProgram, ownProgramVariables, runsOwnProgram } from './own-programs.ts';
import { queueAccess } from './queue-access.ts';
import {
  newReservation,
  reservationDeleted,
  reservationList,
  reservationSubmission,
  reservationUpdate,
  reservationUpdated,
} from './reservation.ts';
import { resourceInfo, resourceInfoOf, resourceInfoRecord, resourceOption } from './resource.ts';
import * as roots from './roots.ts';
import { schedulerConf, schedulerConfChange, schedulerConfVersion } from './scheduler-conf.ts';
import { digestOf } from './staging.ts';

const xmlOf = <T>(record: RecordDescription<T>, value: T) => writeXml(record, value).replace(/^<\?xml[^>]*\?>/, '');
const throughXml = <T>(record: RecordDescription<T>, value: T): T => readBody(record, Buffer.from(writeXml(record, value)), 'xml');

describe('amounts of resources', () => {
  const types = new ResourceTypes([{ name: 'yarn.io/gpu', units: '', minimumAllocation: 0, maximumAllocation: 8 }]);

  it('have memory, cores and every registered type, with the bounds of each', () => {
    const info = resourceInfoOf([1024, 2, 3], types);
    assert.deepEqual([info.memory, info.vCores], [1024, 2]);
    assert.deepEqual(
      info.resourceInformations?.map(({ name, units, value, maximumAllocation }) => [name, units, value, maximumAllocation]),
      [
        ['memory-mb', 'Mi', 1024, longMaximum],
        ['vcores', '', 2, longMaximum],
        ['yarn.io/gpu', '', 3, 8],
      ],
    );
  });

  it('are 0 where the vector is shorter than the types, and cut where it is longer', () => {
    assert.deepEqual(
      resourceInfoOf([], types).resourceInformations?.map(({ value }) => value),
      [0, 0, 0],
    );
    assert.equal(resourceInfoOf([1, 2, 3]).resourceInformations?.length, 2);
  });

  it('have the members of a type in alphabetical order, the largest number as Java has it', () => {
    const json = writeJson(resourceInfoRecord, resourceInfoOf([1024, 2]));
    assert.equal(
      json.slice(0, json.indexOf('},{')),
      '{"resourceInfo":{"memory":1024,"vCores":2,"resourceInformations":{"resourceInformation":[{"attributes":{},"maximumAllocation":9223372036854775807,"minimumAllocation":0,"name":"memory-mb","resourceType":"COUNTABLE","units":"Mi","value":1024',
    );
  });

  it('survive XML', () => {
    const info = resourceInfoOf([5, 6, 7], types);
    const read = throughXml(resourceInfoRecord, info);
    assert.deepEqual(JSON.parse(writeJson(resourceInfoRecord, read)), JSON.parse(writeJson(resourceInfoRecord, info)));
  });

  it('are read from a body in which texts stand for numbers', () => {
    const body = Buffer.from('{"resource":{"memory":"2048","vCores":"2"},"overCommitTimeout":"-1"}');
    assert.deepEqual(readBody(resourceOption, body, 'json'), { resource: { memory: 2048, vCores: 2 }, overCommitTimeout: -1 });
    assert.deepEqual(Object.keys(resourceInfo.schema['properties'] as object), ['memory', 'vCores', 'resourceInformations']);
  });
});

describe('applications', () => {
  it('stand alone below their root, in a list as one of many', () => {
    const one = { id: 'application_1_0001', progress: 50, queueUsagePercentage: 12.5, priority: 0, unmanagedApplication: false };
    const inside = '{"id":"application_1_0001","progress":50.0,"priority":0,"queueUsagePercentage":12.5,"unmanagedApplication":false}';
    assert.equal(writeJson(app, one), `{"app":${inside}}`);
    assert.equal(writeJson(apps, { app: [one] }), `{"apps":{"app":[${inside}]}}`);
    assert.equal(writeJson(apps, {}), '{"apps":{}}');
  });

  it('repeat the entries of their maps in JSON, with texts for numbers', () => {
    const value = { resourceSecondsMap: { 'memory-mb': 10, vcores: 1 }, preemptedResourceSecondsMap: {} };
    assert.equal(
      writeJson(app, value),
      '{"app":{"resourceSecondsMap":{"entry":{"key":"memory-mb","value":"10"},"entry":{"key":"vcores","value":"1"}},"preemptedResourceSecondsMap":{}}}',
    );
    assert.deepEqual(throughXml(app, value), {
      resourceSecondsMap: [
        ['memory-mb', 10],
        ['vcores', 1],
      ],
      preemptedResourceSecondsMap: [],
    });
  });

  it('have state, queue and priority as small records of their own, each read from both formats', () => {
    assert.equal(writeJson(appState, { state: 'KILLED' }), '{"state":"KILLED"}');
    assert.equal(writeJson(appQueue, { queue: 'root.q' }), '{"queue":"root.q"}');
    assert.equal(writeJson(appPriority, { priority: 5 }), '{"priority":5}');
    assert.equal(xmlOf(appPriority, { priority: 5 }), '<applicationpriority><priority>5</priority></applicationpriority>');
    assert.deepEqual(readBody(appState, Buffer.from('{"state":"KILLED","diagnostics":"why"}'), 'json'), {
      state: 'KILLED',
      diagnostics: 'why',
    });
    assert.deepEqual(throughXml(appQueue, { queue: 'root.q' }), { queue: 'root.q' });
  });

  it('have timeouts below a root, also in a body', () => {
    const timeout = { type: 'LIFETIME', expiryTime: 'UNLIMITED', remainingTimeInSeconds: -1 };
    assert.equal(writeJson(appTimeouts, { timeout: [timeout] }), `{"timeouts":{"timeout":[${JSON.stringify(timeout)}]}}`);
    assert.deepEqual(readBody(appTimeout, Buffer.from(JSON.stringify({ timeout })), 'json'), timeout);
  });

  it('are counted by state and type', () => {
    const value = { statItem: [{ state: 'RUNNING', type: '*', count: 2 }] };
    assert.equal(writeJson(appStatistics, value), '{"appStatInfo":{"statItem":[{"state":"RUNNING","type":"*","count":2}]}}');
    assert.equal(
      xmlOf(appStatistics, value),
      '<appStatInfo><statItem><state>RUNNING</state><type>*</type><count>2</count></statItem></appStatInfo>',
    );
  });

  it('begin with an id and the largest container', () => {
    assert.match(
      writeJson(newApplication, { 'application-id': 'a', 'maximum-resource-capability': resourceInfoOf([8192, 4]) }),
      /^\{"application-id":"a","maximum-resource-capability":\{"memory":8192,"vCores":4,/,
    );
  });
});

describe('attempts and containers', () => {
  it('have numbers as texts where the older writer is at work, and numbers in the list of attempts', () => {
    assert.equal(
      writeJson(appAttempt, { appAttemptId: 'a', rpcPort: -1, startedTime: 5 }),
      '{"appAttemptId":"a","rpcPort":"-1","startedTime":"5"}',
    );
    assert.equal(
      writeJson(appAttempts, { appAttempt: [{ id: 1, startTime: 5 }] }),
      '{"appAttempts":{"appAttempt":[{"id":1,"startTime":5}]}}',
    );
  });

  it('collapse a list of one container, and an empty list to nothing', () => {
    const one = { containerId: 'c', allocatedMB: 128, allocatedResources: { vcores: 1 } };
    const inside = '{"containerId":"c","allocatedMB":"128","allocatedResources":{"entry":{"key":"vcores","value":"1"}}}';
    assert.equal(writeJson(containers, { container: [one] }), `{"container":${inside}}`);
    assert.equal(writeJson(containers, { container: [one, one] }), `{"container":[${inside},${inside}]}`);
    assert.equal(writeJson(containers, { container: [] }), '{}');
    assert.equal(writeJson(containerRecord, one), inside);
    assert.equal(xmlOf(containers, {}), '<containers/>');
  });
});

describe('the cluster', () => {
  it('tells its facts below a root, who calls without one', () => {
    assert.equal(writeJson(clusterInfo, { id: 5, state: 'STARTED' }), '{"clusterInfo":{"id":5,"state":"STARTED"}}');
    assert.equal(writeJson(clusterUserInfo, { rmLoginUser: 'yarn', requestedUser: 'ann' }), '{"rmLoginUser":"yarn","requestedUser":"ann"}');
  });

  it('counts in numbers, and leaves out what only another scheduler knows', () => {
    const json = writeJson(clusterMetrics, { appsSubmitted: 1, totalMB: 2 ** 60, crossPartitionMetricsAvailable: true });
    assert.equal(json, '{"clusterMetrics":{"appsSubmitted":1,"totalMB":1152921504606846976,"crossPartitionMetricsAvailable":true}}');
  });

  it('gives tokens without a root; only the renewer counts in a body', () => {
    assert.equal(writeJson(delegationToken, { token: 't', 'max-validity': 5 }), '{"token":"t","max-validity":5}');
    assert.deepEqual(readBody(delegationToken, Buffer.from('{"renewer":"bob","more":1}'), 'json'), { renewer: 'bob' });
  });

  it('answers who may use a queue in texts', () => {
    assert.equal(
      writeJson(queueAccess, { allowed: false, user: 'ann', diagnostics: '' }),
      '{"allowed":"false","user":"ann","diagnostics":""}',
    );
  });
});

describe('nodes', () => {
  it('hold attributes and tags in holders, labels in a list', () => {
    const value = {
      id: 'node:1',
      memUtilization: 0.5,
      nodeLabels: ['gpu'],
      allocationTags: [{ allocationTag: 'zk', allocationsCount: 2 }],
      nodeAttributesInfo: [],
      resourceUtilization: { nodeCPUUsage: 0.1 },
    };
    assert.equal(
      writeJson(node, value),
      '{"node":{"id":"node:1","memUtilization":0.5,"nodeLabels":["gpu"],"allocationTags":{"allocationTagInfo":[{"allocationTag":"zk","allocationsCount":2}]},"resourceUtilization":{"nodeCPUUsage":0.1},"nodeAttributesInfo":{}}}',
    );
    assert.deepEqual(throughXml(node, value), value);
    assert.equal(writeJson(nodes, { node: [] }), '{"nodes":{}}');
  });
});

describe('labels', () => {
  const gpu = { name: 'gpu', exclusivity: true };

  it('are one object or a list, and read from either', () => {
    assert.equal(writeJson(nodeLabels, { nodeLabelInfo: [gpu] }), '{"nodeLabelInfo":{"name":"gpu","exclusivity":"true"}}');
    for (const body of ['{"nodeLabelInfo":{"name":"gpu","exclusivity":"true"}}', '{"nodeLabelInfo":[{"name":"gpu","exclusivity":true}]}'])
      assert.deepEqual(readBody(nodeLabels, Buffer.from(body), 'json'), { nodeLabelInfo: [gpu] });
  });

  it('are null where a map of them is empty', () => {
    assert.equal(writeJson(nodeToLabels, { nodeToLabels: {} }), '{"nodeToLabels":null}');
    assert.equal(writeJson(labelsToNodes, { labelsToNodes: [] }), '{"labelsToNodes":null}');
    assert.equal(xmlOf(labelsToNodes, { labelsToNodes: [] }), '<labelsToNodesInfo><labelsToNodes/></labelsToNodesInfo>');
  });

  it('are keys of a map to their nodes', () => {
    const value = { labelsToNodes: [{ key: gpu, value: { nodes: ['a:1', 'b:1'] } }] };
    assert.equal(
      writeJson(labelsToNodes, value),
      '{"labelsToNodes":{"entry":{"key":{"name":"gpu","exclusivity":"true"},"value":{"nodes":["a:1","b:1"]}}}}',
    );
    assert.match(
      xmlOf(labelsToNodes, value),
      /<labelsToNodes><entry><key><name>gpu<\/name>.*<value><nodes>a:1<\/nodes><nodes>b:1<\/nodes><\/value><\/entry>/,
    );
  });

  it('of nodes are read as a list of nodes with their labels', () => {
    const xml = '<nodeToLabelsName><nodeToLabels><nodeId>a:1</nodeId><labels>gpu</labels></nodeToLabels></nodeToLabelsName>';
    assert.deepEqual(readBody(nodeToLabelsEntries, Buffer.from(xml), 'xml'), { nodeToLabels: [{ nodeId: 'a:1', labels: ['gpu'] }] });
  });
});

describe('activities', () => {
  it('nest as deep as the queues do', () => {
    const leaf: ActivityNode = { name: 'application_1_0001', allocationState: 'ACCEPTED', nodeIds: ['a:1'] };
    const root = { name: 'root', children: [{ name: 'root.a', children: [leaf] }] };
    const value = { nodeId: 'a:1', timestamp: 5, allocations: [{ partition: '', root }] };
    assert.equal(
      writeJson(activities, value),
      '{"activities":{"nodeId":"a:1","timestamp":5,"allocations":[{"partition":"","root":{"name":"root","children":[{"name":"root.a","children":[{"name":"application_1_0001","allocationState":"ACCEPTED","nodeIds":["a:1"]}]}]}}]}}',
    );
    assert.match(
      xmlOf(activities, value),
      /<root><name>root<\/name><children><name>root\.a<\/name><children><name>application_1_0001<\/name>/,
    );
    assert.match(writeJson(bulkActivities, { activities: [value] }), /^\{"bulkActivities":\{"activities":\[\{"nodeId":"a:1"/);
  });

  it('of an application name their requests', () => {
    const allocation = { nodeId: 'a:1', children: [{ requestPriority: 1, allocationRequestId: -1, children: [{ nodeId: 'a:1' }] }] };
    assert.equal(
      writeJson(applicationActivities, { applicationId: 'a', allocations: [allocation] }),
      '{"appActivities":{"applicationId":"a","allocations":[{"nodeId":"a:1","children":[{"requestPriority":1,"allocationRequestId":-1,"children":[{"nodeId":"a:1"}]}]}]}}',
    );
  });
});

describe('explanations', () => {
  it('are plain JSON, whose lists stay where they are empty', () => {
    assert.equal(writeJson(applicationExplanation, { id: 'a', waiting: false, requests: [] }), '{"id":"a","waiting":false,"requests":[]}');
    const request = {
      askId: '1',
      resource: { memoryMiB: 5 },
      reasons: [{ rule: 'queue-limit', limit: { vcores: 1 } }],
      nodes: { count: 1, groups: [] },
    };
    assert.equal(
      writeJson(applicationExplanation, { requests: [request] }),
      '{"requests":[{"askId":"1","resource":{"memoryMiB":5},"reasons":[{"rule":"queue-limit","limit":{"vcores":1}}],"nodes":{"count":1,"groups":[]}}]}',
    );
  });
});

describe('reservations', () => {
  const definition = {
    arrival: 1,
    deadline: 9,
    'reservation-requests': {
      'reservation-request-interpreter': 0,
      'reservation-request': [{ capability: { memory: 128, vCores: 1 }, 'min-concurrency': 1, 'num-containers': 2, duration: 60 }],
    },
    'reservation-name': 'nightly',
    priority: 1,
  };

  it('are submitted and changed in both formats', () => {
    const submission = { queue: 'dedicated', 'reservation-definition': definition, 'reservation-id': 'reservation_1_0001' };
    assert.deepEqual(throughXml(reservationSubmission, submission), submission);
    assert.deepEqual(readBody(reservationSubmission, Buffer.from(writeJson(reservationSubmission, submission)), 'json'), submission);
    const update = { 'reservation-id': 'reservation_1_0001', 'reservation-definition': definition };
    assert.deepEqual(readBody(reservationUpdate, Buffer.from(JSON.stringify(update)), 'json'), update);
  });

  it('are answered without members, listed with texts for numbers', () => {
    assert.equal(writeJson(reservationUpdated, {}), '{}');
    assert.equal(xmlOf(reservationDeleted, {}), '<reservation-delete-response/>');
    assert.equal(writeJson(newReservation, { 'reservation-id': 'r' }), '{"reservation-id":"r"}');
    assert.equal(
      writeJson(reservationList, { reservations: [{ 'acceptance-time': 5, user: 'ann' }] }),
      '{"reservations":{"acceptance-time":"5","user":"ann"}}',
    );
    assert.equal(writeJson(reservationList, { reservations: [] }), '{}');
  });
});

describe('the configuration of the scheduler', () => {
  it('is a list of properties, and a version', () => {
    assert.equal(writeJson(schedulerConf, { property: [{ name: 'a', value: '1' }] }), '{"property":{"name":"a","value":"1"}}');
    assert.equal(writeJson(schedulerConfVersion, { versionID: 5 }), '{"versionID":"5"}');
  });

  it('is changed by queues and global settings, in both formats', () => {
    const change = {
      'add-queue': [{ 'queue-name': 'root.a', params: [['capacity', '10']] }],
      'remove-queue': ['root.b'],
      'global-updates': [['yarn.x', 'y']],
    };
    const json =
      '{"add-queue":{"queue-name":"root.a","params":{"entry":{"key":"capacity","value":"10"}}},"remove-queue":"root.b","global-updates":{"entry":[{"key":"yarn.x","value":"y"}]}}';
    assert.deepEqual(readBody(schedulerConfChange, Buffer.from(json), 'json'), change);
    const several = '{"global-updates":[{"entry":[{"key":"yarn.x","value":"z"}]},{"entry":{"key":"yarn.x","value":"y"}}]}';
    assert.deepEqual(readBody(schedulerConfChange, Buffer.from(several), 'json'), { 'global-updates': [['yarn.x', 'y']] });
    const xml =
      '<sched-conf><add-queue><queue-name>root.a</queue-name><params><entry><key>capacity</key><value>10</value></entry></params></add-queue><remove-queue>root.b</remove-queue><global-updates><entry><key>yarn.x</key><value>y</value></entry></global-updates></sched-conf>';
    assert.deepEqual(readBody(schedulerConfChange, Buffer.from(xml), 'xml'), change);
  });
});

describe('what lies beside the records', () => {
  it('knows the digest of a staged file in its header', () => {
    const sha256 = Buffer.alloc(32, 7);
    const member = `sha-256=:${sha256.toString('base64')}:`;
    for (const header of [member, `md5=:abc=:, ${member}`, `${member},sha-512=:x:`])
      assert.equal(digestOf(header), sha256.toString('hex'), header);
    for (const header of [null, '', 'sha-256=abc', `xsha-256=:${sha256.toString('base64')}:`, 'sha-256=:short=:'])
      assert.equal(digestOf(header), undefined, String(header));
  });

  it("knows commands that run Heddle's own programs", () => {
    const command = ownProgram('batch/tasks/main');
    assert.equal(
      command,
      `'{{${ownProgramVariables.runtime}}}' '{{${ownProgramVariables.code}}}/batch/tasks/main{{${ownProgramVariables.suffix}}}'`,
    );
    assert.equal(ownProgram('a', ['--b=1', '--c']), ownProgram('a').replace(' ', ' --b=1 --c '));
    assert.equal(runsOwnProgram(['exec', `${command} map`]), true);
    assert.equal(runsOwnProgram(['node main.js', 'HEDDLE_NODE']), false);
    assert.equal(runsOwnProgram([]), false);
  });

  it('names each root once, in order', () => {
    for (const [name, list] of Object.entries(roots)) {
      assert.equal(new Set(list).size, list.length, name);
      assert.deepEqual([...list].sort(), list, name);
    }
  });
});
