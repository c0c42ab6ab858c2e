import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../model/errors.ts';
import { ResourceTypes } from '../../model/resource.ts';
import { submissionContext } from '../../wire/cluster/submission.ts';
import { readBody } from '../../wire/codec/read.ts';
import { parseExpiry } from '../commands/set-lifetime.ts';
import { checkedSubmission } from '../commands/submission-request.ts';
import { formatExpiry } from '../views/times.ts';
import { readRun, readSubmission } from './submission.ts';

const types = new ResourceTypes();
const limits = { configuredMaximum: [8192, 4], maximumTags: 10, maximumTagLength: 100, lowerCaseTags: true, types };
const parse = (body: unknown, format: 'json' | 'xml' = 'json') =>
  checkedSubmission(
    readSubmission(readBody(submissionContext, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), format)),
    limits,
  );
const id = 'application_1_0001';
const refusal = (body: object): string => {
  try {
    parse({ 'application-id': id, ...body });
  } catch (error) {
    assert.ok(error instanceof Failure && error.entry.status >= 400 && error.entry.status < 500);
    return error.message;
  }
  return 'accepted';
};

describe('submissions', () => {
  it('fills in every default', () => {
    const { launch, ...rest } = parse({ 'application-id': id });
    assert.deepEqual(launch, { commands: [], environment: {}, localResources: {}, serviceData: {} });
    assert.deepEqual(rest, {
      applicationId: id,
      name: '',
      queue: undefined,
      priority: -1,
      type: '',
      tags: [],
      unmanaged: false,
      maximumAttempts: 0,
      keepContainers: false,
      failuresValidityIntervalMs: -1,
      resource: [0, 0],
      viewAcl: undefined,
      modifyAcl: undefined,
      applicationLabelExpression: '',
      masterLabelExpression: '',
      logAggregation: undefined,
      reservationId: undefined,
      lifetimeSeconds: undefined,
    });
  });
  it('reads the full form', () => {
    const submission = parse({
      'application-id': id,
      'application-name': 'full',
      'application-type': 'a type of more than twenty letters',
      'max-app-attempts': '3',
      resource: { memory: '512', vCores: 2 },
      'application-tags': { tag: ['b', 'A', 'a'] },
      'am-container-spec': {
        'local-resources': {
          entry: [{ key: 'f', value: { resource: 'file:///f', type: 'ARCHIVE', visibility: 'PRIVATE', size: 3, timestamp: 4 } }],
        },
        commands: { command: 'sleep 1' },
        environment: { entry: { key: 'A', value: 'one' } },
        'service-data': { entry: [{ key: 's', value: '-_8' }] },
        'application-acls': { entry: [{ key: 'VIEW_APP', value: 'bob' }] },
        credentials: { secrets: { entry: [{ key: 'k', value: 'c2VjcmV0' }] } },
      },
    });
    assert.equal(submission.type, 'a type of more than ');
    assert.deepEqual(submission.tags, ['a', 'b']);
    assert.deepEqual(submission.resource, [512, 2]);
    assert.equal(submission.maximumAttempts, 3);
    assert.equal(submission.viewAcl, 'bob');
    const { launch } = submission;
    assert.deepEqual(launch.commands, ['sleep 1']);
    assert.deepEqual(launch.environment, { A: 'one' });
    assert.deepEqual(launch.localResources, {
      f: { resource: 'file:///f', type: 'ARCHIVE', visibility: 'PRIVATE', size: 3, timestamp: 4 },
    });
    assert.deepEqual(launch.serviceData, { s: '+/8=' });
    assert.equal(Buffer.from(launch.tokens!, 'base64').toString('latin1'), 'HDTS\0\0\x01\x01k\x06secret');
  });
  it('reads files of a command in base64, and refuses what is none', () => {
    const contentOf = (base64: string) =>
      readRun({ run: { command: ['true'], files: [['a', { base64 }]] } } as never)
        ?.files.get('a')
        ?.content?.toString('latin1');
    for (const base64 of ['aGk/', 'aGk_', 'aG\nk/\n']) assert.equal(contentOf(base64), 'hi?');
    for (const base64 of ['aA==', 'aA']) assert.equal(contentOf(base64), 'h');
    assert.equal(contentOf(''), '');
    for (const base64 of ['?!', 'a', 'aGk/a', 'aA===', 'a=A=', 'hä'])
      assert.throws(() => contentOf(base64), /run\.files\.a\.base64 is no base64/);
  });
  it('reads XML the same way', () => {
    const xml = `<application-submission-context><application-id>${id}</application-id><priority>high</priority><am-container-spec><commands><command>a</command><command>b</command></commands></am-container-spec></application-submission-context>`;
    const submission = parse(xml, 'xml');
    assert.equal(submission.priority, 0);
    assert.deepEqual(submission.launch.commands, ['a', 'b']);
  });
  it('reads where a master should stand and which nodes it avoids', () => {
    const asked = parse({
      'application-id': id,
      resource: { memory: 1, vCores: 1 },
      'am-container-resource-requests': [
        { resourceName: '*', capability: { memory: 512, vCores: 2 }, relaxLocality: false, nodeLabelExpression: 'x' },
        { resourceName: 'n1', capability: { memory: 9999 } },
        { resourceName: '/r1' },
      ],
      'am-black-listing-requests': { 'am-black-listing-enabled': true, 'disable-failure-threshold': 0.5 },
    });
    assert.deepEqual(
      [asked.resource, asked.masterPlaces, asked.masterLabelExpression, asked.masterBlacklisting],
      [[512, 2], { nodes: ['n1'], racks: ['/r1'], relaxed: false }, 'x', { enabled: true, threshold: 0.5 }],
    );
    assert.match(refusal({ 'am-container-resource-requests': [{ resourceName: 'n1' }] }), /no resource request specified with \*$/);
    assert.doesNotThrow(() =>
      parse({ 'application-id': id, 'unmanaged-AM': true, 'am-container-resource-requests': [{ resourceName: 'n1' }] }),
    );
    assert.match(refusal({ 'am-container-resource-requests': [{}, {}] }), /only one resource request with \* is allowed$/);
    // A request that is too large is refused with every other rule of requests, by the command.
    assert.deepEqual(
      parse({ 'application-id': id, 'am-container-resource-requests': [{ capability: { memory: 99_999, vCores: 1 } }] }).resource,
      [99_999, 1],
    );
  });
  it('names the first broken rule', () => {
    assert.equal(refusal({ 'application-id': 'job_1_1' }), 'Could not parse application id job_1_1');
    assert.equal(refusal({ resource: { memory: 99_999, vCores: 99 } }), 'Requested more cores than configured max');
    assert.equal(refusal({ resource: { memory: 8193 } }), 'Requested more memory than configured max');
    assert.match(
      refusal({ 'application-tags': { tag: [...'abcdefghijk'] } }),
      /Too many applicationTags, a maximum of only 10 are allowed!$/,
    );
    assert.match(refusal({ 'application-tags': { tag: 'größe' } }), /can only have ASCII characters! Invalid tag - größe$/);
    assert.match(refusal({ 'am-container-spec': { 'local-resources': { entry: [{ key: 'a' }] } } }), /names no resource URI/);
    const odd = { key: 'a', value: { resource: 'file:///a', type: 'FILE', visibility: 'odd' } };
    assert.match(refusal({ 'am-container-spec': { 'local-resources': { entry: [odd] } } }), /a has a visibility that is none: odd/);
    const untyped = { key: 'a', value: { resource: 'file:///a', visibility: 'PUBLIC' } };
    assert.match(refusal({ 'am-container-spec': { 'local-resources': { entry: [untyped] } } }), /a has a type that is none: null/);
    const nowhere = { key: 'a', value: { resource: 'http://[', type: 'FILE', visibility: 'PUBLIC' } };
    assert.match(refusal({ 'am-container-spec': { 'local-resources': { entry: [nowhere] } } }), /a has a resource that is none/);
    for (const member of ['service-data', 'application-acls'])
      assert.match(refusal({ 'am-container-spec': { [member]: { entry: [{ key: 'a', value: null }] } } }), /has nothing for a$/);
    assert.match(
      refusal({ 'am-container-spec': { credentials: { tokens: { entry: [{ key: 'a', value: '***' }] } } } }),
      /^Could not parse credentials data/,
    );
    assert.match(refusal({ 'reservation-id': 'reservation' }), /reservation id is invalid: reservation$/);
  });
});

it('writes expiry times in the one form that is read', () => {
  assert.equal(parseExpiry(formatExpiry(1_700_000_000_123)), 1_700_000_000_123);
  for (const beyond of [8.64e15, 1e17, Number.MAX_VALUE]) assert.match(formatExpiry(beyond), /^\+275760-09-1\dT/);
});
