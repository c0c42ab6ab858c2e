// What recorded masters of Hadoop said, said to the port of masters here: the answers have the fields that Hadoop's have.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framesOf, probed, recordedLines, recordedProbes } from '../../rpc/test-support/probes.ts';
import { decodeDelimited } from '../../wire/rpc/codec.ts';
import { containerIdText } from '../../wire/rpc/ids.ts';
import type { Decoded } from '../../wire/rpc/message.ts';
import { applicationMasterProtocol as protocol } from '../../wire/rpc/protocols/application-master.ts';
import { RequestHeaderProto, RpcRequestHeaderProto, RpcResponseHeaderProto } from '../../wire/rpc/tables/transport.ts';
import { type AllocateAnswer, type AllocateCall, MasterWorld, type TestMaster } from './test-support/master-world.ts';

interface RecordedFrame {
  readonly port: number;
  readonly direction: '<' | '>';
  readonly kind: string;
  readonly method?: keyof typeof protocol.methods;
  readonly frame: string;
}

type Message = Readonly<Record<string, unknown>>;

/** Calls and replies of the recorded master, decoded. */
const recorded = (
  name: string,
): readonly { readonly method: keyof typeof protocol.methods; readonly isCall: boolean; readonly body: Message }[] =>
  recordedLines<RecordedFrame>(name)
    .filter(({ port, kind }) => port === 8030 && (kind === 'call' || kind === 'reply'))
    .map(({ method, direction, frame }) => {
      const bytes = Buffer.from(frame, 'base64');
      const isCall = direction === '>';
      const start = isCall
        ? decodeDelimited(RequestHeaderProto, bytes, decodeDelimited(RpcRequestHeaderProto, bytes).next).next
        : decodeDelimited(RpcResponseHeaderProto, bytes).next;
      const body = decodeDelimited(protocol.methods[method!][isCall ? 0 : 1], bytes, start).value as Message;
      return { method: method!, isCall, body };
    });

/** Names of the fields that are set, at any depth; what a list holds counts together. */
function fieldsOf(value: unknown, name = ''): string[] {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  if (Array.isArray(value)) return [...new Set(value.flatMap((one) => fieldsOf(one, name)))].sort();
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [name];
  const below = Object.entries(value).flatMap(([key, one]) => fieldsOf(one, name === '' ? key : `${name}.${key}`));
  return [...new Set(name === '' ? below : [name, ...below])].sort();
}

/** What only a node knows of a container that was started there. */
const ofNodes = /^completed_container_statuses\.container_attributes/;

/** Says what the recorded master said; what it is answered. `ending`: whether the recording has ends of containers. */
async function answersTo(name: string, masters: MasterWorld, master: TestMaster, ending: boolean): Promise<AllocateAnswer[]> {
  const answers: AllocateAnswer[] = [];
  // As on the recorded cluster, what is asked is not there at once.
  const elsewhere = await masters.filled();
  const node = masters.world.cluster.view.node('localhost:45454')!;
  const beat = async (call: AllocateCall = {}): Promise<void> => {
    const answer = await master.beat(call);
    answers.push(answer);
    if (answer.enhanced_headroom?.total_pending_count) await elsewhere.end();
    // What it was given ends in its time.
    if (!ending) return;
    for (const { id, isMaster } of [...master.attempt.containers.values()])
      if (!isMaster && answer.allocated_containers.some((one) => containerIdText(one.id) === id))
        masters.world.report(node, id, 'COMPLETE', 0);
  };
  for (const { method, isCall, body } of recorded(name)) {
    if (!isCall || method !== 'allocate') continue;
    const { response_id: _number, ...said } = body as Decoded<(typeof protocol.methods)['allocate'][0]>;
    await beat(said as AllocateCall);
  }
  for (let i = 0; i < 3; i++) await beat();
  return answers;
}

describe('recorded masters', () => {
  for (const name of ['distributed-shell.jsonl', 'wordcount.jsonl'])
    it(`of ${name} get answers with the fields of Hadoop's`, async () => {
      await using masters = await MasterWorld.start();
      const { node } = masters.world.addNode('localhost:45454');
      const master = await masters.submit(node);
      using _client = master.client;
      const replies = recorded(name).filter(({ isCall }) => !isCall);
      const registered = replies.find(({ method }) => method === 'registerApplicationMaster')!.body;
      const lists = (fields: readonly string[]) => fields.filter((field) => !field.startsWith('application_ACLs'));
      assert.deepEqual(lists(fieldsOf(await master.register())), lists(fieldsOf(registered)));
      const theirs = replies.filter(({ method }) => method === 'allocate').map(({ body }) => body as AllocateAnswer);
      const ending = theirs.some(({ completed_container_statuses: ended }) => ended.length > 0);
      const ours = await answersTo(name, masters, master, ending);
      // An answer without news has the same fields, and so have all together.
      const bare = ({ allocated_containers: given, completed_container_statuses: ended, enhanced_headroom: room }: AllocateAnswer) =>
        given.length === 0 && ended.length === 0 && !room?.total_pending_count;
      assert.deepEqual(fieldsOf(ours.filter(bare)), fieldsOf(theirs.filter(bare)));
      assert.ok(ours.some(bare) && ours.some(({ nm_tokens: tokens }) => tokens.length > 0));
      assert.deepEqual(
        fieldsOf(ours),
        fieldsOf(theirs).filter((field) => !ofNodes.test(field)),
      );
      assert.deepEqual(fieldsOf(await master.finish()), fieldsOf(replies.at(-1)!.body));
    });
});

describe('recorded requests that are wrong in one way', () => {
  // The answer to a challenge is of use for that challenge alone: the login with a token that nobody made is tried elsewhere.
  for (const probe of recordedProbes(8030).filter(({ probe: name }) => name !== 'SASL with a token nobody made'))
    it(probe.probe, async () => {
      await using masters = await MasterWorld.start();
      const answer = await probed(masters.address, probe);
      assert.equal(answer.closed, probe.closed);
      assert.deepEqual(framesOf(answer.bytes), framesOf(Buffer.from(probe.received, 'base64')));
    });
});
