import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { failure } from '../model/errors.ts';
import { AuditLog } from './audit-log.ts';

/** An audit log over a log of the given level, with its lines. */
function stand(level: string) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level, base: undefined, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { audit: new AuditLog(logger), lines };
}

const caller = { user: 'ada', realUser: 'oozie', remoteAddress: '10.0.0.1' };
const who = { audit: true, user: 'ada', realUser: 'oozie', address: '10.0.0.1' };

describe('the audit log', () => {
  it('has every change and every refusal, whatever else the log leaves out', () => {
    const { audit, lines } = stand('error');
    audit.changed(caller, { operation: 'kill application', target: 'a', queue: 'root.q' });
    const refusal = failure('ONLY_ADMINISTRATORS');
    assert.equal(audit.refused(caller, { operation: 'drain a node', target: 'n1:1' }, refusal), refusal);
    assert.deepEqual(lines, [
      { level: 30, ...who, operation: 'kill application', target: 'a', queue: 'root.q', msg: 'an operation was carried out' },
      { level: 40, ...who, operation: 'drain a node', target: 'n1:1', msg: 'an operation was refused' },
    ]);
  });

  it('has a refused request once: by the command that refused it, else by its path', () => {
    const { audit, lines } = stand('info');
    const request = { method: 'PUT', path: '/x', caller, remoteAddress: '10.0.0.2' };
    audit.refusedRequest({ ...request, failure: audit.refused(caller, { operation: 'o', target: 't' }, failure('ONLY_ADMINISTRATORS')) });
    audit.refusedRequest({ ...request, failure: failure('ONLY_ADMINISTRATORS') });
    audit.refusedRequest({ ...request, caller: undefined, failure: failure('BEARER_REFUSED') });
    assert.deepEqual(
      lines.map(({ operation, target, user, address }) => [operation, target, user, address]),
      [
        ['o', 't', 'ada', '10.0.0.1'],
        ['PUT', '/x', 'ada', '10.0.0.2'],
        ['PUT', '/x', undefined, '10.0.0.2'],
      ],
    );
    audit.refusedRequest({
      ...request,
      caller: undefined,
      failure: failure('IMPERSONATION_REFUSED', { user: 'eve@R', auditedUser: 'eve' }),
    });
    assert.equal(lines[3]!['user'], 'eve', 'who proved a name and may not act for another');
    assert.match(String(lines[1]!['reason']), /^Only admins can carry out/);
  });
});
