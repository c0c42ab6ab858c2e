import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../model/errors.ts';
import { writeJson } from '../codec/json.ts';
import { readBody, readStrictBody } from '../codec/read.ts';
import { writeXml } from '../codec/xml.ts';
import { plainSubmission, type SubmissionContext, submissionContext } from './submission.ts';

const submission: SubmissionContext = {
  'application-id': 'application_1_0001',
  'application-name': 'a <job> & more',
  queue: 'root.default',
  priority: 3,
  'am-container-spec': {
    'local-resources': [
      ['lib.jar', { resource: 'file:///lib.jar', type: 'FILE', visibility: 'PUBLIC', size: 2 ** 40, timestamp: 1_700_000_000_000 }],
      ['conf', { resource: 'staging:/ann/a/conf', type: 'ARCHIVE', visibility: 'APPLICATION', size: 1, timestamp: 0 }],
    ],
    environment: [
      ['PATH', '/bin:{{MORE}}'],
      ['EMPTY', ''],
    ],
    commands: ['sleep 600', 'echo "done" >& 2'],
    'service-data': [['mapreduce_shuffle', 'c2VjcmV0']],
    credentials: { tokens: [['hdfs', 'AAAA']], secrets: [['key', 'BBBB']] },
    'application-acls': [
      ['VIEW_APP', 'bob,eve '],
      ['MODIFY_APP', ' '],
    ],
  },
  'unmanaged-AM': false,
  'max-app-attempts': 2,
  resource: { memory: 1024, vCores: 1, resourceInformations: [{ name: 'yarn.io/gpu', value: 2, units: '' }] },
  'application-type': 'BATCH',
  'keep-containers-across-application-attempts': true,
  'application-tags': ['nightly', 'team-a'],
  'am-container-node-label-expression': 'gpu',
  'log-aggregation-context': { 'log-include-pattern': '.*\\.log', 'rolled-log-include-pattern': 'out.*' },
  'attempt-failures-validity-interval': 60_000,
  'am-black-listing-requests': { 'am-black-listing-enabled': true, 'disable-failure-threshold': '0.8' },
  'am-container-resource-requests': [
    {
      priority: 0,
      resourceName: '*',
      capability: { memory: 1024, vCores: 1 },
      numContainers: 1,
      relaxLocality: true,
      executionTypeRequest: { executionType: 'GUARANTEED', enforceExecutionType: false },
    },
  ],
};

describe('a submission', () => {
  it('is the same in XML and in JSON', () => {
    assert.deepEqual(readBody(submissionContext, Buffer.from(writeXml(submissionContext, submission)), 'xml'), submission);
    // JSON of the interface has entries in a list, as clients send them.
    const json = writeJson({ ...submissionContext, json: 'mapped' }, submission);
    assert.deepEqual(readBody(submissionContext, Buffer.from(json), 'json'), submission);
  });

  it('may be written in the short forms that clients use', () => {
    const body = {
      'application-id': 'application_1_0001',
      'am-container-spec': { commands: { command: 'sleep 1' }, environment: { entry: { key: 'A', value: 1 } } },
      resource: { memory: '512', vCores: '1' },
      'application-tags': { tag: 'one' },
      'unmanaged-AM': 'true',
    };
    assert.deepEqual(readBody(submissionContext, Buffer.from(JSON.stringify(body)), 'json'), {
      'application-id': 'application_1_0001',
      'am-container-spec': { commands: ['sleep 1'], environment: [['A', '1']] },
      resource: { memory: 512, vCores: 1 },
      'application-tags': ['one'],
      'unmanaged-AM': true,
    });
  });

  it('loses what is not known, and keeps nothing for what is of another kind', () => {
    const body = { 'application-submission-context': { queue: 'x' }, 'am-container-spec': 'sleep', 'application-tags': 'tag', queue: null };
    assert.deepEqual(readBody(submissionContext, Buffer.from(JSON.stringify(body)), 'json'), {
      'am-container-spec': {},
      'application-tags': [],
    });
  });

  it('has local resources without a value, which the command refuses', () => {
    const body = { 'am-container-spec': { 'local-resources': { entry: [{ key: 'a' }] } } };
    assert.deepEqual(readBody(submissionContext, Buffer.from(JSON.stringify(body)), 'json'), {
      'am-container-spec': { 'local-resources': [['a', undefined]] },
    });
  });

  it('has a key for every entry of its maps', () => {
    const entry = [{ key: 'a', value: 'b' }, { value: 'c' }];
    const parts = ['local-resources', 'environment', 'service-data', 'application-acls'].map((name) => ({ [name]: { entry } }));
    for (const spec of [...parts, { credentials: { tokens: { entry } } }, { credentials: { secrets: { entry: {} } } }])
      assert.throws(
        () => readBody(submissionContext, Buffer.from(JSON.stringify({ 'am-container-spec': spec })), 'json'),
        /An entry has no key/,
        JSON.stringify(spec),
      );
  });

  it("to Heddle's own interface has plain maps, timeouts, and no member that is not known", () => {
    const body = {
      'application-name': 'a',
      'am-container-spec': { commands: ['x'], environment: { A: '1', B: '2' } },
      'application-timeouts': { LIFETIME: 60 },
    };
    assert.deepEqual(readStrictBody(plainSubmission, Buffer.from(JSON.stringify(body))), {
      'application-name': 'a',
      'am-container-spec': {
        commands: ['x'],
        environment: [
          ['A', '1'],
          ['B', '2'],
        ],
      },
      'application-timeouts': [['LIFETIME', 60]],
    });
    const refused = (value: object, reason: string) =>
      assert.throws(
        () => readStrictBody(plainSubmission, Buffer.from(JSON.stringify(value))),
        (error) => error instanceof Failure && error.parameters['reason'] === reason,
      );
    refused({ 'am-container-spec': { command: 'x' } }, 'am-container-spec.command is not known here');
    refused({ 'application-timeouts': { LIFETIME: 'soon' } }, 'application-timeouts.LIFETIME must be a whole number');
    refused({ resource: { memory: 1.5 } }, 'resource.memory must be a whole number');
  });
});
