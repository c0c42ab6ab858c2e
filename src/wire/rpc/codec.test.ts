import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { decode, decodeDelimited, encode, encodeAhead, encodeDelimited, MalformedMessage, mostFields, part } from './codec.ts';
import { containerIdMessage, containerIdText } from './ids.ts';
import type { Message } from './message.ts';
import { administrationProtocol } from './protocols/administration.ts';
import { applicationClientProtocol } from './protocols/application-client.ts';
import { applicationMasterProtocol } from './protocols/application-master.ts';
import { containerManagementProtocol } from './protocols/container-management.ts';
import { GetApplicationsRequestProto } from './tables/client-service.ts';
import { ApplicationIdProto, ContainerIdProto, ResourceProto, ResourceUtilizationProto } from './tables/identifiers.ts';
import { QueueInfoProto } from './tables/queues.ts';
import { RequestHeaderProto, RpcRequestHeaderProto, RpcResponseHeaderProto } from './tables/transport.ts';

interface RecordedFrame {
  readonly port: number;
  readonly direction: '<' | '>';
  readonly kind: string;
  readonly method?: string;
  readonly frame: string;
}

const recordings = join(import.meta.dirname, '../../../test/compatibility/rpc');
const framesOf = (name: string): RecordedFrame[] =>
  readFileSync(join(recordings, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedFrame);

const methods: Readonly<Record<string, readonly [Message, Message]>> = {
  ...applicationClientProtocol.methods,
  ...applicationMasterProtocol.methods,
  ...administrationProtocol.methods,
  ...containerManagementProtocol.methods,
};
/** Where these are spoken. */
const ports = [8030, 8032, 8033, 45_454];

/** Takes a frame apart and puts it together again. */
function rebuilt({ direction, method = '', frame }: RecordedFrame): { readonly again: Buffer; readonly bytes: Buffer } {
  const bytes = Buffer.from(frame, 'base64');
  const isCall = direction === '>';
  const header = decodeDelimited(isCall ? RpcRequestHeaderProto : RpcResponseHeaderProto, bytes);
  const parts = [part(isCall ? RpcRequestHeaderProto : RpcResponseHeaderProto, header.value as never)];
  let { next } = header;
  if (isCall) {
    const call = decodeDelimited(RequestHeaderProto, bytes, next);
    parts.push(part(RequestHeaderProto, call.value));
    next = call.next;
  }
  const description = methods[method]?.[isCall ? 0 : 1];
  assert.ok(description, `the method ${method} is described`);
  if (next < bytes.length) {
    const body = decodeDelimited(description, bytes, next);
    parts.push(part(description, body.value as never));
    next = body.next;
  }
  assert.equal(next, bytes.length, 'nothing is left over');
  return { again: Buffer.from(encodeDelimited(...parts)), bytes };
}

describe('recorded frames', () => {
  for (const name of ['admin.jsonl', 'command-line.jsonl', 'errors.jsonl', 'distributed-shell.jsonl', 'wordcount.jsonl']) {
    it(`of ${name} are read and written again byte by byte`, () => {
      const frames = framesOf(name).filter(({ port, kind }) => ports.includes(port) && (kind === 'call' || kind === 'reply'));
      assert.ok(frames.length > 5);
      for (const frame of frames) {
        // Decoding fills in defaults: what is written again has all of them, the recorded program wrote those that were set.
        const { again, bytes } = rebuilt(frame);
        if (again.equals(bytes)) continue;
        const bare = withoutDefaults(frame);
        if (bare.equals(bytes)) continue;
        // Some defaults were set, others not.
        assert.ok(
          ['submitApplication', 'allocate', 'startContainers', 'getContainerStatuses'].includes(frame.method ?? ''),
          `${frame.direction} ${frame.method}`,
        );
        assert.ok(bare.length < bytes.length && bytes.length < again.length);
        assert.deepEqual(bodyOf(frame), bodyOf({ ...frame, frame: again.toString('base64') }));
      }
    });
  }
});

/** What a call asks, or is answered, without its headers. */
function bodyOf({ direction, method = '', frame }: RecordedFrame): object {
  const bytes = Buffer.from(frame, 'base64');
  if (direction === '<') return decodeDelimited(methods[method]![1], bytes, decodeDelimited(RpcResponseHeaderProto, bytes).next).value;
  const { next } = decodeDelimited(RequestHeaderProto, bytes, decodeDelimited(RpcRequestHeaderProto, bytes).next);
  return decodeDelimited(methods[method]![0], bytes, next).value;
}

/** The same without fields that hold their default: what decoding filled in. */
function withoutDefaults({ direction, method = '', frame }: RecordedFrame): Buffer {
  const bytes = Buffer.from(frame, 'base64');
  const isCall = direction === '>';
  const header = decodeDelimited(isCall ? RpcRequestHeaderProto : RpcResponseHeaderProto, bytes);
  const call = isCall ? decodeDelimited(RequestHeaderProto, bytes, header.next) : undefined;
  const start = call?.next ?? header.next;
  const description = methods[method]![isCall ? 0 : 1];
  const body = decodeDelimited(description, bytes, start).value;
  const again = encodeDelimited(part(description, stripped(description, body as Record<string, unknown>) as never));
  return Buffer.concat([bytes.subarray(0, start), again]);
}

function stripped(description: Message, value: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(description.fields)) {
    const of = value[name];
    const kind = field.kind as unknown;
    const isMessage = typeof kind === 'object' && kind !== null && ('fields' in kind || 'message' in kind);
    const inner = isMessage
      ? 'message' in (kind as object)
        ? (kind as { message: () => Message }).message()
        : (kind as Message)
      : undefined;
    if (field.presence === 'defaulted' && of === field.fallback) continue;
    if (inner && Array.isArray(of)) kept[name] = of.map((one) => stripped(inner, one as Record<string, unknown>));
    else if (inner && of !== undefined) kept[name] = stripped(inner, of as Record<string, unknown>);
    else kept[name] = of;
  }
  return kept;
}

describe('messages', () => {
  it('keep the bounds of 64-bit numbers and those below', () => {
    for (const memory of [0, -1, -1000, 2 ** 53 - 1, 2 ** 63, -(2 ** 63)])
      assert.equal(decode(ResourceProto, encode(ResourceProto, { memory })).memory, memory);
    assert.deepEqual([...encode(ApplicationIdProto, { id: -1 })], [8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
  });

  it('keep every bit of the number of a container, whatever its epoch', () => {
    for (const id of [
      'container_1700000000000_0001_01_000002',
      'container_e8193_1700000000000_0001_01_000003',
      'container_e8388607_1_0001_01_1099511627775',
    ])
      assert.equal(containerIdText(decode(ContainerIdProto, encode(ContainerIdProto, containerIdMessage(id)))), id);
    // As Java prints a negative one: its lowest 40 bits.
    assert.equal(containerIdText({ id: -1n }), 'container_0_0000_00_1099511627775');
  });

  it('have the nearest bound where a number is beyond what its field takes', () => {
    const again = (id: number) => decode(ApplicationIdProto, encode(ApplicationIdProto, { id })).id;
    assert.deepEqual([2 ** 31, -(2 ** 31) - 1, 1e300, Number.NaN, 1.7].map(again), [2 ** 31 - 1, -(2 ** 31), 2 ** 31 - 1, 0, 1]);
    assert.equal(decode(QueueInfoProto, encode(QueueInfoProto, { queueName: 'q', capacity: 1e39 })).capacity, Number.POSITIVE_INFINITY);
  });

  it('are written in bytes of their own, also after one that could not be written', () => {
    const first = encode(QueueInfoProto, { queueName: 'first', childQueues: [{ queueName: 'a' }] });
    const copy = Buffer.from(first);
    const broken = { queueName: 'broken', childQueues: [{ queueName: 'b' }, undefined as never] };
    assert.throws(() => encode(QueueInfoProto, broken));
    const second = encode(QueueInfoProto, { queueName: 'second' });
    assert.deepEqual([Buffer.from(first), decode(QueueInfoProto, second).queueName], [copy, 'second']);
    assert.equal(second.buffer.byteLength, second.length);
    const long = 'x'.repeat(3 * 1024 * 1024);
    assert.equal(decode(QueueInfoProto, encode(QueueInfoProto, { queueName: long })).queueName, long);
    assert.deepEqual(encode(QueueInfoProto, { queueName: 'second' }), second);
  });

  it('skip unknown fields and groups, and take the last of a field that comes twice', () => {
    const unknown = Buffer.from([0x63, 0x08, 0x01, 0x64, 0x7a, 0x01, 0x41]);
    const bytes = Buffer.concat([encode(ApplicationIdProto, { id: 1 }), unknown, encode(ApplicationIdProto, { id: 7 })]);
    assert.deepEqual(decode(ApplicationIdProto, bytes), { id: 7, cluster_timestamp: undefined });
  });

  it('read packed lists as others', () => {
    const packed = decode(QueueInfoProto, Buffer.concat([encode(QueueInfoProto, { queueName: 'root', accessibleNodeLabels: ['a', 'b'] })]));
    assert.deepEqual([packed.queueName, packed.accessibleNodeLabels, packed.childQueues], ['root', ['a', 'b'], []]);
  });

  it('are refused where they are cut off, too deep, or lack what is required', () => {
    const whole = encode(QueueInfoProto, { queueName: 'root', childQueues: [{ queueName: 'a', capacity: 0.5 }] });
    for (let length = 1; length < whole.length; length++) {
      try {
        decode(QueueInfoProto, whole.subarray(0, length));
      } catch (error) {
        assert.ok(error instanceof MalformedMessage, String(error));
      }
    }
    let nested: { queueName: string; childQueues?: object[] } = { queueName: 'leaf' };
    for (let depth = 0; depth < 150; depth++) nested = { queueName: 'q', childQueues: [nested] };
    assert.throws(() => decode(QueueInfoProto, encode(QueueInfoProto, nested)), /too many levels of nesting/);
    assert.throws(
      () => decode(RequestHeaderProto, Buffer.alloc(0)),
      /Message missing required fields: methodName, declaringClassProtocolName/,
    );
    assert.throws(() => decodeDelimited(ResourceUtilizationProto, Buffer.from([200, 1, 0])), MalformedMessage);
  });

  it('counts every field, in whatever form it comes: a few bytes may not become a lot of values', () => {
    const [list, packed, unknown, group, groupEnd] = [0x0a, 0x12, 0x7d, 0x7b, 0x7c];
    const delimited = (bytes: Buffer) =>
      Buffer.concat([Buffer.of((bytes.length & 127) | 128, ((bytes.length >>> 7) & 127) | 128, bytes.length >>> 14), bytes]);
    const repeated = (count: number, ...bytes: number[]) => Buffer.concat(Array.from({ length: count }, () => Buffer.from(bytes)));
    const forms = {
      strings: (count: number) => repeated(count, list, 0),
      'a list in one field': (count: number) => Buffer.concat([Buffer.of(packed), delimited(Buffer.alloc(count - 1, 5))]),
      'unknown fields': (count: number) => repeated(count, unknown, 0, 0, 0, 0),
      'fields of an unknown group': (count: number) =>
        Buffer.concat([Buffer.of(group), repeated(count - 2, unknown, 0, 0, 0, 0), Buffer.of(groupEnd)]),
    };
    for (const [name, bytes] of Object.entries(forms)) {
      decode(GetApplicationsRequestProto, bytes(500), 500);
      assert.throws(() => decode(GetApplicationsRequestProto, bytes(501), 500), /more than 500 fields/, name);
    }
    decode(GetApplicationsRequestProto, forms.strings(mostFields));
    assert.throws(() => decodeDelimited(GetApplicationsRequestProto, delimited(forms.strings(mostFields + 1))), /more than 300000 fields/);
  });
});

it('writes a message that was encoded ahead as it writes its value', () => {
  const id = { cluster_timestamp: 1_700_000_000_000, id: 7 };
  const whole = { app_id: id, id: 3n };
  assert.deepEqual(encode(ContainerIdProto, { ...whole, app_id: encodeAhead(ApplicationIdProto, id) }), encode(ContainerIdProto, whole));
  const empty = encodeAhead(ApplicationIdProto, {});
  assert.deepEqual(
    decode(ContainerIdProto, encode(ContainerIdProto, { app_id: empty, id: 3n })).app_id,
    decode(ApplicationIdProto, Buffer.alloc(0)),
  );
});
