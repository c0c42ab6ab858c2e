// Opens a port of Hadoop RPC as the settings of its server say.
import type { AuditLog } from '../auth/audit-log.ts';
import { countedLocalUsers } from '../auth/local-users.ts';
import type { Configuration } from '../config/load.ts';
import { rpcProtections } from '../config/rpc-protection.ts';
import { rpcSettings } from '../config/settings/rpc.ts';
import type { SettingEntry } from '../config/table.ts';
import { boundAddress } from '../config/values.ts';
import { failure } from '../model/errors.ts';
import { listenRpc, type RpcServer, type RpcServerOptions } from './server.ts';

/** Where a port is. */
export interface PortPlace {
  /** The setting of its address. */
  readonly entry: SettingEntry;
  /** Host to listen on where it is another than the address's. */
  readonly bindHost: string | undefined;
  /** How many threads Hadoop would serve it with: they say how many calls may be under way. */
  readonly threads: number;
  /** The port to try where the settings leave it to the machine, or where the usual one is in use; absent: any. */
  readonly formerPort?: number | undefined;
}

/** What a port serves to whom. */
export interface PortOptions
  extends Pick<RpcServerOptions, 'protocols' | 'authentication' | 'authorize' | 'figures' | 'random' | 'logger'> {
  /** The name under which refused logins stand in the audit log. */
  readonly name: string;
  readonly audit: Pick<AuditLog, 'refusedRequest'>;
}

/** Under one connection no more calls than this are under way at a time. */
const callLimit = 100;

/**
 * Listens; undefined where Hadoop RPC is off. Where nobody has set the address and its usual port is in use, at another one: a second
 * cluster on one machine is told of, not refused.
 * @throws ConfigurationError for a protection that there is none; Error where a port that was set is in use
 */
export async function openPort(
  configuration: Configuration,
  { entry, bindHost, threads, formerPort = 0 }: PortPlace,
  { name, audit, ...options }: PortOptions,
): Promise<RpcServer | undefined> {
  const { enabled, connectionLimit, connectionLimitOfAddress, frameLimitBytes, idleThreshold, idleMs, queueSize } =
    configuration.values(rpcSettings);
  if (!enabled) return undefined;
  const address = boundAddress(configuration.get(entry.key) ?? '', bindHost);
  const whole: Omit<RpcServerOptions, 'address'> = {
    ...options,
    qops: rpcProtections(configuration),
    frameLimitBytes,
    callLimit,
    callQueue: { limit: threads * (1 + queueSize), backsOff: backsOff(configuration, address) },
    connections: {
      total: connectionLimit === 0 ? Number.POSITIVE_INFINITY : connectionLimit,
      perAddress: connectionLimitOfAddress,
      localUsers: countedLocalUsers(configuration),
    },
    idleThreshold,
    idleMs,
    refused: ({ remoteAddress, method, reason }) => {
      options.figures.refusedLogins++;
      audit.refusedRequest({
        method: 'login',
        path: name,
        caller: undefined,
        remoteAddress,
        failure: failure('RPC_LOGIN_REFUSED', { reason, mechanism: `rpc-${method}` }),
      });
    },
  };
  const listenAt = (port: number) => listenRpc({ ...whole, address: address.replace(/:\d+$/, `:${port}`) });
  const listenAnywhere = async () => {
    if (formerPort === 0) return listenAt(0);
    return listenAt(formerPort).catch((error: unknown) => (isInUse(error) ? listenAt(0) : Promise.reject(error)));
  };
  if (address.endsWith(':0')) return listenAnywhere();
  try {
    return await listenRpc({ ...whole, address });
  } catch (error) {
    if (configuration.origin(entry.key) !== undefined || !isInUse(error)) throw error;
    const server = await listenAnywhere();
    options.logger.warn(
      { key: entry.key, inUse: address, port: server.port },
      'the usual port of Hadoop RPC is in use, a free one is served instead; set its address to have a port that clients know',
    );
    return server;
  }
}

/** Whether clients of a full port are told to come again, as its number says or all ports do (Server.getClientBackoffEnable). */
function backsOff(configuration: Configuration, address: string): boolean {
  const values = configuration.values(rpcSettings);
  const ofPort: Readonly<Record<string, boolean | undefined>> = {
    8032: values.backoffOfClients,
    8030: values.backoffOfMasters,
    8033: values.backoffOfAdministrators,
    45454: values.backoffOfNodes,
    10020: values.backoffOfHistory,
    10200: values.backoffOfApplicationHistory,
    10033: values.backoffOfHistoryAdministrators,
  };
  return ofPort[address.slice(address.lastIndexOf(':') + 1)] ?? values.backoff;
}

const isInUse = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
