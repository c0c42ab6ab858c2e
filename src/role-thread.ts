// The entry of a thread that runs one role; see startRoleInThread.
import { parentPort, workerData } from 'node:worker_threads';
import type { RoleThreadData, RoleThreadMessage, RoleThreadOrder } from './roles.ts';

const port = parentPort;
if (!port) throw new Error('role-thread.ts is the entry of a worker thread');
const tell = (message: RoleThreadMessage): void => port.postMessage(message);
const { role, snapshot, joinsWhenTold } = workerData as RoleThreadData;
const [{ startRole, transferError }, { Configuration }] = await Promise.all([import('./roles.ts'), import('./config/load.ts')]);

try {
  const { promise: mayJoin, resolve: join } = Promise.withResolvers<void>();
  const running = await startRole(role, new Configuration(snapshot), joinsWhenTold ? mayJoin : undefined);
  port.on('message', (order: RoleThreadOrder) => {
    if (order === 'join') join();
    else void end();
  });
  const end = async (): Promise<void> => {
    try {
      await running.close();
    } finally {
      tell({ kind: 'closed' });
      process.exit(0); // Ends this thread alone.
    }
  };
  tell({ kind: 'started', addresses: running.addresses, readiness: running.readiness?.current });
  running.readiness?.onChange((readiness) => tell({ kind: 'readiness', readiness }));
} catch (error) {
  tell({ kind: 'failed', error: transferError(error) });
  process.exit(1);
}
