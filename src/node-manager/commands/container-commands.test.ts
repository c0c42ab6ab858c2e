import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditedCaller, AuditedOperation } from '../../auth/audit-log.ts';
import { ManualClock } from '../../lib/clock.ts';
import type { Container } from '../containers/container.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import { ContainerCommands } from './container-commands.ts';

test('a change of a master stands in the audit log with its user, address and request', () => {
  const lines: unknown[] = [];
  const ended: string[] = [];
  const commands = new ContainerCommands({
    manager: { kill: ({ id }: Container) => ended.push(id) } as unknown as ContainerManager,
    memory: 'm',
    clock: new ManualClock(),
    audit: {
      refused: (_caller, _operation, failure) => failure,
      leftOut: () => assert.fail('nothing was left out'),
      changed: (caller: AuditedCaller, operation: AuditedOperation) => lines.push({ ...caller, ...operation }),
    },
  });
  commands.stop({ user: 'ann', remoteAddress: '10.0.0.5', requestId: 'r1' }, { id: 'container_1_0001_01_000002' } as Container);
  assert.deepEqual(ended, ['container_1_0001_01_000002']);
  const operation = lines.map((line) => (line as AuditedOperation).operation)[0];
  assert.deepEqual(lines, [{ user: 'ann', remoteAddress: '10.0.0.5', requestId: 'r1', operation, target: 'container_1_0001_01_000002' }]);
});
