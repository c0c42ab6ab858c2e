import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { ClientTokens } from '../../auth/application-tokens/client-tokens.ts';
import { decode } from '../../wire/rpc/codec.ts';
import { attemptIdText } from '../../wire/rpc/ids.ts';
import { ClientToAMTokenIdentifierProto } from '../../wire/rpc/tables/tokens.ts';
import type { Submission } from '../applications/submission.ts';
import { reportTokens } from './report-tokens.ts';
import { MasterWorld } from './test-support/master-world.ts';

/** A cluster with a master that is expected. */
async function withMaster(isSecure: boolean, submission: Partial<Submission> = {}) {
  const masters = await MasterWorld.start();
  if (isSecure) masters.tokens.clients = new ClientTokens(Buffer.alloc(32, 9));
  const { node } = masters.world.addNode();
  const master = await masters.submit(node, submission);
  const tokensFor = (user: string | undefined, isVisible = true) => reportTokens(masters.tokens, master.application, { user, isVisible });
  return {
    masters,
    master,
    tokensFor,
    async [Symbol.asyncDispose]() {
      master.client[Symbol.dispose]();
      await masters[Symbol.asyncDispose]();
    },
  };
}

describe('the token by which a master knows a client', () => {
  it('names who asks, and is signed by the key that the master is given when it registers', async () => {
    await using world = await withMaster(true);
    const { client_to_am_token: token } = world.tokensFor('carol');
    assert.ok(token);
    assert.deepEqual([token.kind, token.service], ['YARN_CLIENT_TOKEN', '']);
    const said = decode(ClientToAMTokenIdentifierProto, token.identifier);
    assert.deepEqual([attemptIdText(said.appAttemptId), said.clientName], [world.master.attempt.id, 'carol']);
    const { client_to_am_token_master_key: key } = await world.master.register();
    assert.ok(key && key.length > 0);
    const signed = createHmac('sha1', key).update(token.identifier).digest();
    assert.deepEqual(Buffer.from(token.password), signed);
    assert.deepEqual(world.tokensFor('carol').client_to_am_token, token, 'a master that runs is known by the same token');
  });

  it('is of one attempt: another one has another key', () => {
    const clients = new ClientTokens(Buffer.alloc(32, 9));
    assert.notDeepEqual(clients.keyOf('appattempt_1_0001_000001'), clients.keyOf('appattempt_1_0001_000002'));
    assert.notDeepEqual(clients.keyOf('appattempt_1_0001_000001'), new ClientTokens(Buffer.alloc(32, 8)).keyOf('appattempt_1_0001_000001'));
  });

  it('is not for those who may not view the application, and none is there once the master has ended', async () => {
    await using world = await withMaster(true);
    assert.deepEqual(world.tokensFor('eve', false), {});
    assert.deepEqual(world.tokensFor(undefined), {});
    await world.master.register();
    await world.master.finish();
    assert.deepEqual(world.tokensFor('carol'), {});
  });

  it('is neither given nor asked for where callers need no proof', async () => {
    await using world = await withMaster(false);
    assert.equal(world.tokensFor('carol').client_to_am_token, undefined);
    const registered = await world.master.register();
    assert.equal(registered.client_to_am_token_master_key, undefined);
  });
});

describe('the token of a master outside the cluster', () => {
  it('is in reports to its owner alone', async () => {
    await using world = await withMaster(true, { unmanaged: true });
    const { user: owner } = world.master.application;
    assert.equal(world.tokensFor(owner).am_rm_token?.kind, 'YARN_AM_RM_TOKEN');
    const other = world.tokensFor('carol');
    assert.deepEqual([other.am_rm_token, other.client_to_am_token?.kind], [undefined, 'YARN_CLIENT_TOKEN']);
  });
});
