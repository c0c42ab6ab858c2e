// Bearer tokens, schedules, webhooks, and attempts that are failed by hand: with two faults at once the first one wins, what belongs to
// others is not there for who asks, and what is refused changes nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mostTokensOfUser } from '../../auth/bearer/token-registry.ts';
import { failure } from '../../model/errors.ts';
import { anAttempt } from '../test-support/builders.ts';
import { applicationOf, callerNamed, codeOf, lookupOf, queuePolicy, RememberedAudit } from '../test-support/commands.ts';
import { type BearerTokenPorts, createBearerToken, listBearerTokens, revokeBearerToken } from './bearer-tokens.ts';
import { type FailAttemptPorts, failAttempt } from './fail-attempt.ts';
import {
  createSchedule,
  type KnownSchedule,
  listSchedules,
  pauseSchedule,
  removeSchedule,
  runSchedule,
  type ScheduleCommandPorts,
  showSchedule,
} from './schedules.ts';
import { createWebhook, listWebhooks, redeliver, removeWebhook, showWebhook, type WebhookCommandPorts } from './webhooks.ts';

const ada = callerNamed('ada');
const eve = callerNamed('eve');
const admin = callerNamed('admin');
const proved = callerNamed('ada', { authentication: 'kerberos' });
const narrow = callerNamed('ada', { restriction: { scope: 'submit' } });
/** It ends, and is cancelled; nothing that it makes does. */
const delegated = callerNamed('ada', { authentication: 'token' });
const tooNarrow = [narrow, delegated];
const access = { isAdministrator: (user: string) => user === 'admin' };

describe('bearer tokens', () => {
  const stand = (many = 1) => {
    const audit = new RememberedAudit();
    const done: string[] = [];
    const kept = Array.from({ length: many }, (_, number) => ({
      id: `t${number}`,
      name: `laptop${number}`,
      user: 'ada',
      scope: 'read' as const,
      queues: undefined,
      createdMs: 0,
      expiresMs: 2000,
      proved: false,
      digest: 'd',
    }));
    const ports: BearerTokenPorts = {
      registry: {
        list: (user) => kept.filter((token) => user === undefined || token.user === user),
        create: async ({ lifetimeMs, ...wanted }) => {
          done.push(`create ${wanted.name} of ${wanted.user} for ${wanted.queues} proved ${wanted.proved}`);
          return { text: 'text', token: { ...kept[0]!, ...wanted, expiresMs: lifetimeMs } };
        },
        revoke: async ({ id }) => void done.push(`revoke ${id}`),
      },
      access,
      policy: queuePolicy(),
      audit,
      clock: { now: () => 1000 },
      maximumLifetimeMs: 5000,
    };
    return { ports, done, audit };
  };
  const request = { name: 'phone', scope: 'submit' as const, queues: ['open'], lifetimeMs: 5000 };

  it('are made of the first fault to the last, and with the full names of queues', async () => {
    const { ports, done } = stand();
    const make = (caller: typeof ada, more: Partial<typeof request>) =>
      codeOf(() => createBearerToken(ports, caller, { ...request, ...more }));
    for (const caller of tooNarrow) assert.equal(await make(caller, { name: ' ' }), 'BEARER_BY_NARROW_TOKEN');
    for (const more of [{ name: ' ' }, { name: 'a\u0007b' }, { lifetimeMs: 5001 }, { name: 'laptop0' }, { queues: ['nowhere'] }])
      assert.equal(await make(ada, more), 'BAD_REQUEST', JSON.stringify(more));
    assert.equal(
      await codeOf(() => createBearerToken(stand(mostTokensOfUser).ports, ada, { ...request, queues: ['nowhere'] })),
      'BEARER_TOO_MANY',
    );
    assert.deepEqual(done, []);
    await createBearerToken(ports, proved, request);
    await createBearerToken(ports, ada, request);
    assert.deepEqual(done, ['create phone of ada for root.open proved true', 'create phone of ada for root.open proved false']);
  });

  it('are seen and revoked by their user and by administrators', async () => {
    const { ports, done } = stand();
    for (const caller of tooNarrow) assert.equal(await codeOf(() => listBearerTokens(ports, caller, true)), 'BEARER_BY_NARROW_TOKEN');
    assert.equal(await codeOf(() => listBearerTokens(ports, eve, true)), 'ONLY_ADMINISTRATORS');
    assert.deepEqual(listBearerTokens(ports, eve, false), []);
    assert.ok(listBearerTokens(ports, admin, true).every((token) => !('digest' in token)));
    assert.equal(await codeOf(() => revokeBearerToken(ports, eve, 't0')), 'BEARER_UNKNOWN');
    assert.equal(await codeOf(() => revokeBearerToken(ports, admin, 'laptop0')), 'BEARER_UNKNOWN');
    assert.deepEqual(done, []);
    await revokeBearerToken(ports, ada, 'laptop0');
    await revokeBearerToken(ports, admin, 't0');
    assert.deepEqual(done, ['revoke t0', 'revoke t0']);
  });
});

describe('schedules', () => {
  const stand = () => {
    const audit = new RememberedAudit();
    const done: string[] = [];
    const nightly: KnownSchedule = {
      ...{ name: 'nightly', user: 'ada', cron: '0 0 * * *', timeZone: 'UTC', overlap: 'skip', missed: 'one', paused: false },
      ...{ submission: '{}', createdMs: 0, proved: false, runs: [] },
    };
    const ports: ScheduleCommandPorts = {
      schedules: {
        list: () => [nightly],
        find: (user, name) => (user === 'ada' && name === 'nightly' ? nightly : undefined),
        upcoming: () => [1],
        put: async (schedule) => {
          done.push(`put ${schedule.name} proved ${schedule.proved}`);
          return { ...schedule, createdMs: 0, runs: [] };
        },
        remove: async (user, name) => void done.push(`remove ${user} ${name}`),
        pause: async (user, name, paused) => void done.push(`pause ${user} ${name} ${paused}`),
        run: async (user, name) => {
          done.push(`run ${user} ${name}`);
          return 'application_1_0001';
        },
      },
      submitsOf: () => undefined,
      cronFault: (cron) => (cron === 'never' ? 'never is no cron expression' : undefined),
      checkSubmission(submission) {
        if (submission === 'bad') throw failure('TAG_NOT_ASCII', { tag: 'x' });
      },
      access,
      audit,
    };
    return { ports, done, audit };
  };
  const request = { name: 'hourly', cron: '0 * * * *', submission: '{}' };

  it('are made of the first fault to the last', async () => {
    const { ports, done } = stand();
    const make = (caller: typeof ada, more: object) => codeOf(() => createSchedule(ports, caller, { ...request, ...more }));
    for (const caller of tooNarrow) assert.equal(await make(caller, { name: '/' }), 'SCHEDULE_BY_NARROW_TOKEN');
    assert.equal(await make(ada, { name: '/', submission: 'bad' }), 'BAD_REQUEST');
    assert.equal(await make(ada, { cron: 'never', submission: 'bad' }), 'BAD_REQUEST');
    assert.equal(await make(ada, { submission: 'x'.repeat(2 ** 20 + 1) }), 'BAD_REQUEST');
    assert.equal(await make(ada, { name: 'nightly', submission: 'bad' }), 'TAG_NOT_ASCII');
    assert.equal(await make(ada, { name: 'nightly' }), 'SCHEDULE_EXISTS');
    assert.deepEqual(done, []);
    const made = await createSchedule(ports, proved, { ...request, name: 'nightly', replace: true });
    assert.ok(!('submission' in made));
    await createSchedule(ports, eve, { ...request, name: 'nightly' });
    assert.deepEqual(done, ['put nightly proved true', 'put nightly proved false']);
  });

  it('are seen, stopped, run and removed by their user and by administrators', async () => {
    const { ports, done, audit } = stand();
    assert.equal(await codeOf(() => listSchedules(ports, eve, true)), 'ONLY_ADMINISTRATORS');
    assert.deepEqual([listSchedules(ports, eve, false).length, listSchedules(ports, admin, true).length], [0, 1]);
    const ways = [
      (caller: typeof ada) => showSchedule(ports, caller, 'ada', 'nightly'),
      (caller: typeof ada) => pauseSchedule(ports, caller, 'ada', 'nightly', true),
      (caller: typeof ada) => runSchedule(ports, caller, 'ada', 'nightly'),
      (caller: typeof ada) => removeSchedule(ports, caller, 'ada', 'nightly'),
    ];
    for (const way of ways) {
      for (const caller of tooNarrow) assert.equal(await codeOf(() => way(caller)), 'SCHEDULE_BY_NARROW_TOKEN');
      assert.equal(await codeOf(() => way(eve)), 'SCHEDULE_UNKNOWN');
    }
    assert.deepEqual(done, []);
    assert.ok(audit.lines.includes('refused eve remove schedule'));
    for (const way of ways) await way(admin);
    assert.deepEqual(done, ['pause ada nightly true', 'run ada nightly', 'remove ada nightly']);
  });
});

describe('webhooks', () => {
  const stand = (many = 1) => {
    const audit = new RememberedAudit();
    const done: string[] = [];
    const figures = {
      ...{ waiting: 0, delivered: 0, failures: 0, withheld: 0, deadLetters: 0, dropped: 0 },
      ...{ lastDeliveredMs: undefined, failingSinceMs: undefined, lastFailure: undefined },
    };
    const hooks = Array.from({ length: many }, (_, number) => ({
      hook: { id: `h${number}`, user: 'ada', url: 'https://there/', secret: 's', createdMs: 0, proved: false },
      figures,
    }));
    const ports: WebhookCommandPorts = {
      hooks: {
        list: () => hooks,
        create: async (hook) => {
          done.push(`create ${hook.url} of ${hook.user} proved ${hook.proved}`);
          return { hook: { ...hook, id: 'new', createdMs: 0 }, figures };
        },
        remove: async (id) => void done.push(`remove ${id}`),
        redeliver: async (id) => done.push(`redeliver ${id}`),
        deadLetters: () => [],
      },
      refusalOf: async ({ hostname }) => (hostname === 'inside' ? 'it is inside' : undefined),
      access,
      audit,
      random: { bytes: (length) => Buffer.alloc(length) },
    };
    return { ports, done };
  };

  it('are made of the first fault to the last', async () => {
    const { ports, done } = stand();
    const make = (caller: typeof ada, url: string, secret?: string) => codeOf(() => createWebhook(ports, caller, { url, secret }));
    for (const caller of tooNarrow) assert.equal(await make(caller, 'nonsense'), 'WEBHOOK_BY_NARROW_TOKEN');
    for (const url of ['nonsense', 'ftp://there/', 'https://ada:secret@there/']) assert.equal(await make(ada, url), 'BAD_REQUEST', url);
    assert.equal(await make(ada, 'https://inside/', 'a blank in it, and long'), 'BAD_REQUEST');
    assert.equal(await codeOf(() => createWebhook(stand(10).ports, ada, { url: 'https://inside/' })), 'WEBHOOK_TOO_MANY');
    assert.equal(await make(ada, 'https://inside/'), 'WEBHOOK_TARGET_REFUSED');
    assert.deepEqual(done, []);
    const made = await createWebhook(ports, proved, { url: 'https://there' });
    assert.match(made.secret, /^whsec_/);
    assert.equal((await createWebhook(ports, ada, { url: 'https://there', secret: 'of-my-own' })).secret, 'of-my-own');
    assert.deepEqual(done, ['create https://there/ of ada proved true', 'create https://there/ of ada proved false']);
  });

  it('are seen, redelivered and removed by their user and by administrators', async () => {
    const { ports, done } = stand();
    assert.equal(await codeOf(() => listWebhooks(ports, eve, true)), 'ONLY_ADMINISTRATORS');
    assert.ok(listWebhooks(ports, admin, true).every((hook) => !('secret' in hook)));
    const ways = [
      (caller: typeof ada) => showWebhook(ports, caller, 'h0'),
      (caller: typeof ada) => redeliver(ports, caller, 'h0', undefined),
      (caller: typeof ada) => removeWebhook(ports, caller, 'h0'),
    ];
    for (const way of ways) {
      for (const caller of tooNarrow) assert.equal(await codeOf(() => way(caller)), 'WEBHOOK_BY_NARROW_TOKEN');
      assert.equal(await codeOf(() => way(eve)), 'WEBHOOK_UNKNOWN');
    }
    assert.deepEqual(done, []);
    for (const way of ways) await way(ada);
    assert.deepEqual(done, ['redeliver h0', 'remove h0']);
  });
});

describe('an attempt that is failed by hand', () => {
  const attempts = ['appattempt_1_0001_000001', 'appattempt_1_0001_000002'].map((id) => anAttempt({ id }));
  const stand = (state: 'RUNNING' | 'FINISHED' = 'RUNNING') => {
    const audit = new RememberedAudit();
    const failed: string[] = [];
    const ports: FailAttemptPorts = {
      applications: lookupOf(applicationOf({ attempts, state })),
      access: { mayModify: (_application, user) => user === 'ada' },
      audit,
      failAttempt: async (_application, { id }) => void failed.push(id),
    };
    return { ports, failed, audit };
  };

  it('is the current one of an application that has not ended, of who may change it', async () => {
    const { ports, failed, audit } = stand();
    const none = 'appattempt_1_0001_000009';
    assert.equal(await codeOf(() => failAttempt(ports, eve, 'appattempt_1_0002_000001')), 'APPLICATION_NOT_FOUND');
    assert.equal(await codeOf(() => failAttempt(ports, eve, none)), 'KILL_REFUSED');
    assert.equal(await codeOf(() => failAttempt(ports, ada, none)), 'ATTEMPT_NOT_FOUND');
    const ended = stand('FINISHED');
    await failAttempt(ended.ports, ada, attempts[1]!.id);
    assert.deepEqual([failed, ended.failed], [[], []]);
    await failAttempt(ports, ada, attempts[1]!.id);
    assert.deepEqual(failed, [attempts[1]!.id]);
    assert.deepEqual(audit.lines.filter((line) => line.includes('changed')).length, 1);
    // Of one that is over already it is waited for that this is durable.
    await failAttempt(ports, ada, attempts[0]!.id);
    assert.deepEqual(failed, [attempts[1]!.id, attempts[0]!.id]);
    assert.deepEqual(audit.lines.filter((line) => line.includes('changed')).length, 1);
  });
});
