// What ports of Hadoop RPC served: for Prometheus, and as the beans of Hadoop's RpcMetrics.
import type { RpcFigures, RpcPortFigures } from '../lib/rpc-figures.ts';
import { type Bean, rateOf } from './jmx.ts';
import type { Sample } from './sample.ts';

/** Everything at this moment. */
export const rpcSamples = ({ ports }: RpcFigures): Sample[] =>
  ports.flatMap((port) => {
    const labels = { protocol: port.protocol };
    const one = (name: string, help: string, value: number, more: Record<string, string> = {}): Sample => ({
      name: `heddle_rpc_${name}`,
      help,
      value,
      labels: { ...labels, ...more },
    });
    const bytes = 'Bytes of connections of Hadoop RPC.';
    return [
      one('connections', 'Connections of Hadoop RPC.', port.connections),
      one('dropped_connections_total', 'Connections of Hadoop RPC that were closed at once, for there were too many.', port.dropped),
      one('admitted_connections_total', 'Connections of Hadoop RPC whose caller was let in.', port.admitted),
      one('refused_logins_total', 'Logins of Hadoop RPC that were refused.', port.refusedLogins),
      one('unauthorized_total', 'Connections and calls that the lists of hadoop-policy.xml refused.', port.unauthorized),
      one('running_calls', 'Calls of Hadoop RPC under way.', port.running),
      one('calls_total', 'Calls of Hadoop RPC that were answered.', port.answered),
      one('failed_calls_total', 'Calls of Hadoop RPC that were answered with an exception.', port.failed),
      one('call_seconds_total', 'How long calls of Hadoop RPC took, all together.', port.answeringMs / 1000),
      one('bytes_total', bytes, port.receivedBytes, { direction: 'received' }),
      one('bytes_total', bytes, port.sentBytes, { direction: 'sent' }),
    ];
  });

const named = (method: string): string => method.charAt(0).toUpperCase() + method.slice(1);

/** How often each method was called, and how long it took, of protocols that were spoken: RpcDetailedActivityForPort8032 and so on. Nothing is put off to be answered later. */
const detailedBean = (service: string, host: string, port: RpcPortFigures): Bean => ({
  name: `Hadoop:service=${service},name=RpcDetailedActivityForPort${port.port}`,
  modelerType: `RpcDetailedActivityForPort${port.port}`,
  attributes: {
    'tag.port': String(port.port),
    'tag.Context': 'rpcdetailed',
    'tag.Hostname': host,
    ...Object.fromEntries(
      ['Deferred', 'Overall', ''].flatMap((kind) =>
        [...port.methods].flatMap(([method, { calls, totalMs }]) => {
          const figure = kind === 'Deferred' ? { count: 0, averageMs: 0 } : { count: calls, averageMs: calls === 0 ? 0 : totalMs / calls };
          return Object.entries(rateOf(`${kind}${named(method)}`, figure));
        }),
      ),
    ),
  },
});

const activityBean = (service: string, host: string, port: RpcPortFigures): Bean => {
  const calls = { count: port.answered, averageMs: 0 };
  const none = { count: 0, averageMs: 0 };
  return {
    name: `Hadoop:service=${service},name=RpcActivityForPort${port.port}`,
    modelerType: `RpcActivityForPort${port.port}`,
    attributes: {
      'tag.port': String(port.port),
      'tag.serverName': `${port.protocol}Service`,
      'tag.Context': 'rpc',
      'tag.NumOpenConnectionsPerUser': JSON.stringify(port.connectionsByUser),
      'tag.Hostname': host,
      ...rateOf('DeferredRpcProcessingTime', none),
      ReceivedBytes: port.receivedBytes,
      RpcAuthenticationFailures: port.refusedLogins,
      RpcAuthenticationSuccesses: port.admitted,
      RpcAuthorizationFailures: port.unauthorized,
      RpcAuthorizationSuccesses: port.admitted,
      RpcCallSuccesses: port.answered - port.failed,
      RpcClientBackoff: port.backedOff,
      RpcClientBackoffDisconnected: port.backedOff,
      ...rateOf('RpcEnQueueTime', calls),
      ...rateOf('RpcLockWaitTime', calls),
      ...rateOf('RpcProcessingTime', { ...calls, averageMs: port.answered === 0 ? 0 : port.answeringMs / port.answered }),
      ...rateOf('RpcQueueTime', calls),
      RpcRequeueCalls: 0,
      ...rateOf('RpcResponseTime', calls),
      RpcSlowCalls: 0,
      SentBytes: port.sentBytes,
      NumInProcessHandler: port.running,
      TotalRequests: port.answered + port.running,
      TotalRequestsPerSecond: port.rate.perSecond(performance.now()),
      NumOpenConnections: port.connections,
      CallQueueLength: port.running,
      NumDroppedConnections: port.dropped,
    },
  };
};

/** RpcActivityForPort8032 and so on, of the ports that listen. Calls do not wait for threads or locks here: the time in a queue is a part of their time. */
export const rpcBeans = (service: string, host: string, { ports }: RpcFigures): Bean[] =>
  ports.filter(({ port }) => port !== 0).flatMap((port) => [activityBean(service, host, port), detailedBean(service, host, port)]);
