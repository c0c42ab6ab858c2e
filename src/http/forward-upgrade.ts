// Upgraded connections (WebSockets) through the web proxy: masters' pages such as notebooks and terminals need them.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { connectionReason } from '../lib/connection-reason.ts';
import { request as askHttp } from '../lib/plain-http.ts';
import { failure } from '../model/errors.ts';
import { withoutToken } from './credentials.ts';
import { mustBeWithinToken, type ProxyOptions, proxiedApplicationId, relayTarget, shownPath, trackingUrl } from './forward.ts';
import { forwardedHeaders, type PassingOn, passedHeaders } from './forward-headers.ts';
import { requestIdHeader } from './request-ids.ts';
import type { Upgrade, UpgradeHandler } from './upgrades.ts';

/** Headers of the hop that an upgrade is about. */
const ofUpgrade = ['connection', 'upgrade'];

/** Relays upgrades below `/proxy/` to the application's master; who is warned or sent elsewhere is so without an upgrade too. */
export function proxyUpgrades(options: ProxyOptions): UpgradeHandler {
  return async (upgrade, socket, head) => {
    const { target, applicationId, passing } = await targetOf(options, upgrade);
    const headers = forwardedHeaders(upgrade, options.sign?.(applicationId, upgrade.user));
    if (upgrade.caller?.requestId !== undefined) headers[requestIdHeader] = upgrade.caller.requestId;
    for (const name of ofUpgrade) headers[name] = String(upgrade.headers[name] ?? '');
    // TLS is loaded where a master wants it.
    const ask = target.protocol === 'https:' ? (await import('node:https')).request : askHttp;
    const asked = ask(target, {
      method: 'GET',
      headers,
      lookup: options.targets.lookup,
      ...(options.timeoutMs > 0 ? { timeout: options.timeoutMs } : {}),
    });
    return new Promise<void>((resolve, reject) => {
      const unreachable = (reason: string) => reject(failure('PROXY_TARGET_UNREACHABLE', { target: target.host, reason }));
      socket.once('close', () => asked.destroy());
      asked.once('timeout', () => {
        unreachable('it took too long');
        asked.destroy();
      });
      asked.once('error', (error: Error & { code?: string | number }) => unreachable(connectionReason(error)));
      asked.once('response', (response) => {
        // The master does not upgrade: its answer ends the connection.
        const { requestId } = upgrade.caller ?? {};
        const own = ['connection: close', 'x-content-type-options: nosniff', ...(requestId ? [`${requestIdHeader}: ${requestId}`] : [])];
        socket.write(headOf(response, passing, own));
        response.pipe(socket);
        resolve();
      });
      asked.once('upgrade', (response, master, masterHead) => {
        asked.setTimeout(0);
        socket.write(headOf(response, passing, []));
        join(socket, head, master, masterHead);
        resolve();
      });
      asked.end();
    });
  };
}

async function targetOf(
  options: ProxyOptions,
  { path, query, user, caller }: Upgrade,
): Promise<{ target: URL; applicationId: string; passing: PassingOn }> {
  const [named = '', ...rest] = path.slice('/proxy/'.length).split('/');
  const applicationId = proxiedApplicationId(named);
  const application = await options.lookUp(applicationId);
  if (application && caller) mustBeWithinToken(caller, applicationId, application);
  const tracking = application && !application.ended ? trackingUrl(application, options.scheme) : undefined;
  const isStranger = options.warnStrangers && application?.user !== user;
  if (!tracking || isStranger || (options.httpsOnly && tracking.protocol !== 'https:')) throw failure('PATH_UNKNOWN', { path });
  await options.targets.check(tracking, application!);
  const target = relayTarget(tracking, rest.length === 0 ? undefined : rest.join('/'), withoutToken(query));
  const passing = { applicationId, sandboxed: options.sandboxed, shownPath: (path: string) => shownPath(tracking, applicationId, path) };
  return { target, applicationId, passing };
}

/** Headers of an answer that are about the connection itself. */
const ofConnection = /^(?:connection|upgrade|sec-websocket-(?:accept|protocol|extensions))$/;

/** The head of an answer for the visitor: where it upgrades, with what the upgrade is about. */
function headOf(response: IncomingMessage, passing: PassingOn, more: readonly string[]): string {
  const lines = [`HTTP/1.1 ${response.statusCode} ${response.statusMessage}`];
  const isUpgrade = response.statusCode === 101;
  const headers: [string, string | string[] | number | undefined][] = [
    ...Object.entries(response.headers).filter(([name]) => (isUpgrade ? ofConnection.test(name) : name === 'content-type')),
    ...Object.entries(passedHeaders(response.headers, passing)),
  ];
  for (const [name, value] of headers) for (const each of [value ?? []].flat()) lines.push(`${name}: ${each}`);
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
