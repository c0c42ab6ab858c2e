// Upgraded connections (WebSockets) through the web proxy: masters' pages such as notebooks and terminals need them.
import { request as askHttp, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { failure } from '../model/errors.ts';
import { forwardedHeaders, type ProxyOptions, proxiedApplicationId, relayTarget, trackingUrl, withoutToken } from './forward.ts';
import type { Upgrade, UpgradeHandler } from './upgrades.ts';

/** Headers of the hop that an upgrade is about. */
const ofUpgrade = ['connection', 'upgrade'];

/** Relays upgrades below `/proxy/` to the application's master; who is warned or sent elsewhere is so without an upgrade too. */
export function proxyUpgrades(options: ProxyOptions): UpgradeHandler {
  return async (upgrade, socket, head) => {
    const target = await targetOf(options, upgrade);
    const headers = forwardedHeaders(upgrade);
    for (const name of ofUpgrade) headers[name] = String(upgrade.headers[name] ?? '');
    // TLS is loaded where a master wants it.
    const ask = target.protocol === 'https:' ? (await import('node:https')).request : askHttp;
    const asked = ask(target, { method: 'GET', headers, ...(options.timeoutMs > 0 ? { timeout: options.timeoutMs } : {}) });
    return new Promise<void>((resolve, reject) => {
      const unreachable = (reason: string) => reject(failure('PROXY_TARGET_UNREACHABLE', { target: target.host, reason }));
      socket.once('close', () => asked.destroy());
      asked.once('timeout', () => {
        unreachable('ETIMEDOUT');
        asked.destroy();
      });
      asked.once('error', (error: Error & { code?: string }) => unreachable(error.code ?? error.message));
      asked.once('response', (response) => {
        // The master does not upgrade: its answer ends the connection.
        socket.write(headOf(response, ['connection: close']));
        response.pipe(socket);
        resolve();
      });
      asked.once('upgrade', (response, master, masterHead) => {
        asked.setTimeout(0);
        socket.write(headOf(response, []));
        join(socket, head, master, masterHead);
        resolve();
      });
      asked.end();
    });
  };
}

async function targetOf(options: ProxyOptions, { path, query, user }: Upgrade): Promise<URL> {
  const [named = '', ...rest] = path.slice('/proxy/'.length).split('/');
  const application = await options.lookUp(proxiedApplicationId(named));
  const tracking = application && !application.ended ? trackingUrl(application, options.scheme) : undefined;
  const isStranger = options.warnStrangers && application?.user !== user;
  if (!tracking || isStranger || (options.httpsOnly && tracking.protocol !== 'https:')) throw failure('PATH_UNKNOWN', { path });
  return relayTarget(tracking, rest.length === 0 ? undefined : rest.join('/'), withoutToken(query));
}

/** The head of an answer as it came; an upgrade's connection headers are part of it. */
function headOf(response: IncomingMessage, more: readonly string[]): string {
  const lines = [`HTTP/1.1 ${response.statusCode} ${response.statusMessage}`];
  const isUpgrade = response.statusCode === 101;
  for (let index = 0; index + 1 < response.rawHeaders.length; index += 2) {
    const name = response.rawHeaders[index]!;
    if (isUpgrade || !['connection', 'keep-alive', 'transfer-encoding'].includes(name.toLowerCase()))
      lines.push(`${name}: ${response.rawHeaders[index + 1]}`);
  }
  return `${[...lines, ...more].join('\r\n')}\r\n\r\n`;
}

/** Both directions until one side ends. */
function join(visitor: Duplex, visitorHead: Buffer, master: Duplex, masterHead: Buffer): void {
  if (masterHead.length > 0) visitor.write(masterHead);
  if (visitorHead.length > 0) master.write(visitorHead);
  for (const [one, other] of [
    [visitor, master],
    [master, visitor],
  ] as const) {
    one.on('error', () => other.destroy());
    one.once('close', () => other.destroy());
    one.pipe(other);
  }
}
