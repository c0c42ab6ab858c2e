// Reservations, delegation tokens, staged files and masters outside the cluster: who may have what, and which of two faults is found first.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { TokenRefused } from '../../auth/delegation/token-refused.ts';
import { failure } from '../../model/errors.ts';
import type { ReservationDefinition } from '../reservations/definition.ts';
import { anAttempt } from '../test-support/builders.ts';
import { applicationOf, callerNamed, codeOf, lookupOf, RememberedAudit } from '../test-support/commands.ts';
import { readMasterAccess } from './master-access.ts';
import {
  createReservation,
  deleteReservation,
  listReservations,
  newReservation,
  type ReservationPorts,
  updateReservation,
  type WantedReservation,
} from './reserve.ts';
import { readStagedFile, readStagedFileForNode, removeStagedFiles, type StagingPorts, stageFile } from './staging.ts';
import { cancelToken, createToken, renewToken, type TokenPorts } from './tokens.ts';

const ada = callerNamed('ada');
const eve = callerNamed('eve');

describe('reservations', () => {
  const request = {
    capability: { memoryMiB: 512, vcores: 1, others: new Map([['gpu', 1]]) },
    containers: 2,
    concurrency: 1,
    durationMs: 60_000,
  };
  const definition: WantedReservation = {
    arrivalMs: 1,
    deadlineMs: 9,
    interpreter: 1,
    requests: [request],
    name: 'n',
    recurrence: undefined,
  };
  const stand = () => {
    const audit = new RememberedAudit();
    const done: unknown[] = [];
    const ports: ReservationPorts = {
      system: {
        newId: () => 'reservation_1_0001',
        submit: async (id, queue, user, wanted) => void done.push([id, queue, user, wanted]),
        update: async (id, wanted, user) => void done.push([id, wanted, user]),
        delete: async (id, user) => void done.push([id, user]),
        reservation: (id) =>
          id === 'reservation_1_0001'
            ? { id, user: 'ada', queue: 'root.a', definition: accepted, acceptedMs: 1, allocations: [] }
            : undefined,
        list: (queue, startMs, endMs, user, id) => {
          done.push([queue, startMs, endMs, user, id]);
          const known = { user, queue, definition: accepted, acceptedMs: 1, allocations: [] };
          return [
            { ...known, id: 'reservation_1_0001' },
            { ...known, id: 'reservation_1_0002' },
          ];
        },
      },
      policy: { resolveQueue: (name) => ({ queue: `root.${name}` }) },
      audit,
    };
    return { ports, audit, done };
  };
  const accepted: ReservationDefinition = {
    arrivalMs: 1,
    deadlineMs: 9,
    interpreter: 'ALL',
    requests: [{ capability: [512, 1], containers: 2, concurrency: 1, durationMs: 60_000 }],
    name: 'n',
    recurrence: '0',
  };

  it('find the first of two faults', async () => {
    const { ports, done, audit } = stand();
    const off: ReservationPorts = { ...ports, system: undefined };
    const create = (id: string | undefined, wanted: WantedReservation | undefined, by = ports) =>
      codeOf(() => createReservation(by, ada, { id, queue: 'q', definition: wanted }));
    assert.equal(await codeOf(() => newReservation(off)), 'RESERVATION_DISABLED');
    assert.equal(await create('none', undefined, off), 'RESERVATION_REFUSED');
    assert.equal(await create('none', definition, off), 'RESERVATION_ID_INVALID');
    assert.equal(await create('reservation_1_1', definition, off), 'RESERVATION_DISABLED');
    assert.equal(await create('none', undefined), 'RESERVATION_REFUSED');
    assert.equal(await create('none', { ...definition, requests: [], interpreter: 9 }), 'RESERVATION_REFUSED');
    const without = { ...request, capability: undefined };
    assert.equal(await create('none', { ...definition, interpreter: 9, requests: [without] }), 'RESERVATION_INTERPRETER_UNKNOWN');
    assert.equal(await create('none', { ...definition, requests: [without] }), 'RESERVATION_REFUSED');
    assert.equal(await create('none', definition), 'RESERVATION_ID_INVALID');
    assert.equal(await create('reservation_1', definition), 'RESERVATION_ID_NOT_PARSABLE');
    assert.equal(await codeOf(() => updateReservation(ports, ada, { id: undefined, definition: undefined })), 'RESERVATION_REFUSED');
    assert.equal(await codeOf(() => updateReservation(ports, ada, { id: undefined, definition })), 'RESERVATION_REFUSED');
    assert.equal(await codeOf(() => deleteReservation(ports, ada, 'none')), 'RESERVATION_ID_INVALID');
    assert.deepEqual([done, audit.lines], [[], []]);
  });

  it('that the lists of a plan refuse stand in the audit log, and other faults do not', async () => {
    const { ports, audit } = stand();
    for (const code of ['RESERVATION_ACCESS_REFUSED', 'RESERVATION_REFUSED'] as const) {
      const refuses = () => {
        throw failure(code, { user: 'ada', acl: 'ANY', queue: 'q', reason: 'full' });
      };
      const rejects = async () => refuses();
      const refusing = { ...ports, system: { ...ports.system!, submit: rejects, update: rejects, delete: rejects, list: refuses } };
      const id = 'reservation_1_0001';
      const filter = { queue: 'q', startMs: 0, endMs: -1, id: undefined };
      assert.equal(await codeOf(() => createReservation(refusing, ada, { id, queue: 'q', definition })), code);
      assert.equal(await codeOf(() => updateReservation(refusing, ada, { id, definition })), code);
      assert.equal(await codeOf(() => deleteReservation(refusing, ada, id)), code);
      assert.equal(await codeOf(() => listReservations(refusing, ada, filter)), code);
    }
    assert.deepEqual(
      audit.lines,
      ['submit reservation', 'update reservation', 'delete reservation', 'list reservations'].map(
        (operation) => `refused ada ${operation}`,
      ),
    );
  });

  it('are handed on as plans know them', async () => {
    const { ports, done, audit } = stand();
    assert.equal(newReservation(ports), 'reservation_1_0001');
    await createReservation(ports, ada, { id: 'reservation_1_1', queue: 'q', definition });
    await updateReservation(ports, ada, { id: 'reservation_1_0001', definition: { ...definition, recurrence: '86400000' } });
    await deleteReservation(ports, ada, 'reservation_1_0001');
    assert.deepEqual(done, [
      ['reservation_1_0001', 'q', 'ada', accepted],
      ['reservation_1_0001', { ...accepted, recurrence: '86400000' }, 'ada'],
      ['reservation_1_0001', 'ada'],
    ]);
    assert.deepEqual(audit.lines, ['changed ada submit reservation', 'changed ada update reservation', 'changed ada delete reservation']);
  });

  it('are listed whole, or the one that is named', async () => {
    const { ports, done } = stand();
    const ids = (id: string | undefined) => listReservations(ports, ada, { queue: 'q', startMs: 0, endMs: -1, id }).map((one) => one.id);
    assert.deepEqual(ids(undefined), ['reservation_1_0001', 'reservation_1_0002']);
    assert.deepEqual(ids(''), ['reservation_1_0001', 'reservation_1_0002']);
    assert.deepEqual(ids('reservation_1_2'), ['reservation_1_0002']);
    assert.equal(await codeOf(() => ids('none')), 'RESERVATION_ID_INVALID');
    assert.deepEqual(done[0], ['q', 0, -1, 'ada', undefined]);
  });
});

describe('delegation tokens', () => {
  const kerberos = callerNamed('ada', { authentication: 'kerberos', principal: 'ada@REALM' });
  const stand = (refusal?: TokenRefused) => {
    const audit = new RememberedAudit();
    const done: unknown[] = [];
    const run = (...what: unknown[]) => {
      if (refusal) throw refusal;
      done.push(what);
    };
    const identifier = { owner: '', renewer: '', realUser: '', issueDate: 0, maxDate: 99, sequenceNumber: 1, masterKeyId: 1 };
    const ports: TokenPorts = {
      tokens: {
        async issue(owner, renewer, realUser) {
          run('issue', owner, renewer, realUser);
          return { token: 'text', identifier, renewBeforeMs: 50 };
        },
        async renew(text, renewer) {
          run('renew', text, renewer);
          return 60;
        },
        async cancel(text, canceller) {
          run('cancel', text, canceller);
          return identifier;
        },
      },
      audit,
      simpleName: 'simple',
    };
    return { ports, audit, done };
  };

  it('are for callers with a ticket, whatever else is wrong', async () => {
    const { ports, done } = stand();
    for (const run of [createToken, renewToken, cancelToken]) {
      assert.equal(await codeOf(() => run(ports, callerNamed('ada', { authentication: 'token' }), undefined)), 'TOKEN_BY_TOKEN');
      assert.equal(await codeOf(() => run(ports, ada, undefined)), 'TOKEN_NEEDS_KERBEROS');
    }
    await assert.rejects(() => createToken(ports, ada, undefined), /got type simple$/);
    await assert.rejects(() => createToken(ports, callerNamed('ada', { authentication: undefined }), undefined), /got type null$/);
    assert.equal(await codeOf(() => renewToken(ports, kerberos, undefined)), 'TOKEN_HEADER_MISSING');
    assert.equal(await codeOf(() => cancelToken(ports, kerberos, undefined)), 'TOKEN_HEADER_MISSING');
    assert.deepEqual(done, []);
  });

  it('belong to the principal, or to the user that a proxy user names', async () => {
    const { ports, done, audit } = stand();
    assert.deepEqual(await createToken(ports, kerberos, 'bob'), {
      token: 'text',
      owner: 'ada@REALM',
      renewer: 'bob',
      renewBeforeMs: 50,
      lastsUntilMs: 99,
    });
    await createToken(ports, { ...kerberos, realUser: 'oozie' }, undefined);
    assert.equal(await renewToken(ports, kerberos, 'text'), 60);
    await cancelToken(ports, kerberos, 'text');
    assert.deepEqual(done, [
      ['issue', 'ada@REALM', 'bob', ''],
      ['issue', 'ada', '', 'oozie'],
      ['renew', 'text', 'ada'],
      ['cancel', 'text', kerberos],
    ]);
    assert.equal(audit.lines.length, 4);
  });

  it('that are refused are named by the reason', async () => {
    const code = (reason: TokenRefused['reason']) =>
      codeOf(() => renewToken(stand(new TokenRefused(reason, 'why')).ports, kerberos, 'text'));
    assert.equal(await code('undecodable'), 'TOKEN_NOT_DECODABLE');
    assert.equal(await code('unknown'), 'TOKEN_UNKNOWN');
    assert.equal(await code('expired'), 'TOKEN_UNKNOWN');
    assert.equal(await code('not-renewer'), 'TOKEN_OPERATION_REFUSED');
    const proxied = stand(new TokenRefused('unknown', 'x Token for real user: oozie y')).ports;
    await assert.rejects(() => renewToken(proxied, kerberos, 'text'), /^Failure: Renewal request for unknown token$/);
    await assert.rejects(() => cancelToken(proxied, kerberos, 'text'), /^Failure: Token not found$/);
  });
});

describe('staged files', () => {
  const place = { user: 'ada', applicationId: 'application_1_0001', name: 'f' };
  const stand = (...applications: ReturnType<typeof applicationOf>[]) => {
    const audit = new RememberedAudit();
    const done: string[] = [];
    const found = { uri: 'staging:/', bytes: 1, sha256: 'ff' };
    const ports: StagingPorts = {
      area: {
        async put({ name }, _content, { bytes } = {}) {
          done.push(`put ${name} ${bytes}`);
          return found;
        },
        async read({ name }) {
          done.push(`read ${name}`);
          return { ...found, open: () => Readable.from([]) as ReturnType<typeof import('node:fs').createReadStream> };
        },
        remove: async (user, id) => void done.push(`remove ${user} ${id}`),
      },
      applications: lookupOf(...applications),
      audit,
    };
    return { ports, audit, done };
  };
  const nothing = { bytes: 1, sha256: undefined };
  async function* content(): AsyncGenerator<Uint8Array> {}

  it('are of their user alone', async () => {
    const { ports, audit, done } = stand();
    assert.equal(await codeOf(() => stageFile(ports, eve, place, content(), nothing)), 'STAGING_REFUSED');
    assert.equal(await codeOf(() => readStagedFile(ports, eve, place)), 'STAGING_REFUSED');
    assert.equal(await codeOf(() => removeStagedFiles(ports, eve, 'ada', place.applicationId)), 'STAGING_REFUSED');
    assert.deepEqual([done, audit.lines.length], [[], 3]);
    await stageFile(ports, ada, place, content(), nothing);
    await readStagedFile(ports, ada, place);
    await removeStagedFiles(ports, ada, 'ada', place.applicationId);
    assert.deepEqual(done, ['put f 1', 'read f', 'remove ada application_1_0001']);
    assert.deepEqual(audit.lines.slice(3), ['changed ada stage a file', 'changed ada remove staged files']);
  });

  it('of an application are changed by no token that does not reach its queue', async () => {
    const { ports, audit, done } = stand(applicationOf({ queue: 'root.open' }));
    const by = (queue: string) => callerNamed('ada', { restriction: { scope: 'submit', queues: [queue] } });
    assert.equal(await codeOf(() => stageFile(ports, by('root.closed'), place, content(), nothing)), 'BEARER_QUEUE');
    assert.equal(await codeOf(() => removeStagedFiles(ports, by('root.closed'), 'ada', place.applicationId)), 'BEARER_QUEUE');
    assert.deepEqual([done, audit.lines.length], [[], 2]);
    await readStagedFile(ports, by('root.closed'), place);
    await stageFile(ports, by('root.open'), place, content(), nothing);
    await stageFile(ports, by('root.closed'), { ...place, applicationId: 'application_1_0002' }, content(), nothing);
    assert.deepEqual(done, ['read f', 'put f 1', 'put f 1']);
  });

  it('are read by nodes for the user who owns them', async () => {
    const { ports, done } = stand();
    assert.equal(await codeOf(() => readStagedFileForNode(ports, 'eve', place)), 'STAGING_REFUSED');
    await readStagedFileForNode(ports, 'ada', place);
    assert.deepEqual(done, ['read f']);
  });
});

describe('masters outside the cluster', () => {
  it('are told their token for their submitter, while they are expected', async () => {
    const audit = new RememberedAudit();
    const { submission } = applicationOf();
    const unmanaged = { ...submission, unmanaged: true };
    const ask = (application: ReturnType<typeof applicationOf>, caller = ada, id = 'application_1_0001') =>
      readMasterAccess({ applications: lookupOf(application), audit }, caller, id);
    const launched = applicationOf({ submission: unmanaged, attempts: [anAttempt({ state: 'LAUNCHED' })] });
    const over = applicationOf({ submission: unmanaged, attempts: [anAttempt({ state: 'FAILED' })] });
    assert.equal(await codeOf(() => ask(launched, eve, 'x')), 'ID_MALFORMED');
    assert.equal(await codeOf(() => ask(launched, eve, 'application_1_0002')), 'APPLICATION_NOT_FOUND');
    assert.equal(await codeOf(() => ask(applicationOf(), eve)), 'MASTER_IS_MANAGED');
    assert.equal(await codeOf(() => ask(over, eve)), 'MASTER_ACCESS_REFUSED');
    assert.equal(await codeOf(() => ask(over)), 'MASTER_NOT_EXPECTED');
    assert.equal(await codeOf(() => ask(applicationOf({ submission: unmanaged }))), 'MASTER_NOT_EXPECTED');
    assert.deepEqual(audit.lines, []);
    assert.equal(ask(launched).token, 't0ken');
    assert.deepEqual(audit.lines, ['changed ada read the token of a master']);
  });
});
