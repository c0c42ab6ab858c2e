import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../model/errors.ts';
import { aSubmission } from '../test-support/builders.ts';
import { applicationOf, callerNamed, queuePolicy, RememberedAudit } from '../test-support/commands.ts';
import { Access } from './access.ts';

function stand({ aclEnabled = true, adminAcl = 'admin operators' } = {}) {
  const audit = new RememberedAudit();
  const groups: Record<string, string[]> = { olga: ['operators'], dora: ['data'] };
  const groupsOf = (user: string) => groups[user] ?? [];
  return { audit, access: new Access({ aclEnabled, adminAcl, processUser: 'heddle', groupsOf, policy: queuePolicy(), audit }) };
}

const inQueue = (queue: string, acls: { viewAcl?: string; modifyAcl?: string } = {}) =>
  applicationOf({ queue, submission: aSubmission(acls), user: 'ada' });
const users = ['ada', 'heddle', 'admin', 'olga', 'carol', 'bob', 'dora', 'eve'];

describe('access', () => {
  it('to change an application is for its owner, administrators, its list, and administrators of its queue', () => {
    const { access } = stand();
    const may = (application: Parameters<typeof access.mayModify>[0]) => users.filter((user) => access.mayModify(application, user));
    assert.deepEqual(may(inQueue('root.open')), ['ada', 'heddle', 'admin', 'olga']);
    assert.deepEqual(may(inQueue('root.closed')), ['ada', 'heddle', 'admin', 'olga', 'carol']);
    assert.deepEqual(may(inQueue('root.open', { modifyAcl: 'bob data' })), ['ada', 'heddle', 'admin', 'olga', 'bob', 'dora']);
    assert.deepEqual(may(inQueue('root.open', { viewAcl: '*' })), ['ada', 'heddle', 'admin', 'olga']);
  });

  it('to see an application follows the other list; a caller without a name is in none', () => {
    const { access } = stand();
    const may = (application: Parameters<typeof access.mayView>[0]) => users.filter((user) => access.mayView(application, user));
    assert.deepEqual(may(inQueue('root.open', { viewAcl: ' data', modifyAcl: 'bob' })), ['ada', 'heddle', 'admin', 'olga', 'dora']);
    assert.ok(!access.mayView(inQueue('root.open', { viewAcl: '*' }), undefined));
    assert.ok(stand({ aclEnabled: false }).access.mayView(inQueue('root.open'), undefined));
    // No queue guards what was refused because its queue does not exist.
    assert.deepEqual(may({ ...inQueue('root.none'), admitted: false }), users);
    assert.deepEqual(may({ ...inQueue('root.open'), admitted: false }), ['ada', 'heddle', 'admin', 'olga']);
  });

  it('is open where lists are off, but for labels', () => {
    const { access, audit } = stand({ aclEnabled: false });
    assert.ok(access.mayModify(inQueue('root.closed'), 'eve'));
    assert.ok(access.mayUseQueue('root.closed', 'eve', 'ADMINISTER_QUEUE'));
    access.administrator(callerNamed('eve'), 'drain a node');
    assert.throws(
      () => access.labelWriter(callerNamed('eve'), '/add-node-labels '),
      (error) => error instanceof Failure && error.code === 'LABEL_WRITE_REFUSED' && error.message.endsWith('.../add-node-labels '),
    );
    access.labelWriter(callerNamed('olga'), '/add-node-labels ');
    assert.deepEqual(audit.lines, ['refused eve change node labels']);
  });

  it('of administrators changes at once; the user of the process stays one', () => {
    const { access, audit } = stand();
    access.administrator(callerNamed('admin'), 'drain a node');
    access.useAdministrators('eve');
    access.administrator(callerNamed('eve'), 'drain a node');
    access.administrator(callerNamed('heddle'), 'drain a node');
    assert.throws(() => access.administrator(callerNamed('admin'), 'drain a node'), /Only admins can carry out this operation/);
    assert.deepEqual(audit.lines, ['refused admin drain a node']);
  });
});
