// The small servlets that every Hadoop daemon has beside its interface: `/conf`, `/stacks`; `/logLevel` lies beside this.
import type { RouteAccess } from '../auth/route-access.ts';
import type { Configuration, ConfigurationProperty } from '../config/load.ts';
import { redactionOf, shownValue } from '../config/shown.ts';
import type { Redaction } from '../lib/redaction.ts';
import type { ReadinessSource } from '../lib/role.ts';
import { escapeXml } from '../wire/codec/xml.ts';
import { type Answer, json, text } from './answers.ts';
import { methodNotSupported } from './container-error.ts';
import { unknownPathAnswer } from './container-pages.ts';
import type { Call, Method, Route } from './service.ts';

const standardFiles: readonly (readonly [string, string])[] = [
  ['yarn.', 'yarn-default.xml'],
  ['mapreduce.', 'mapred-default.xml'],
  ['heddle.', 'heddle'],
];

/** A servlet's routes: GET, OPTIONS with its own methods, and the refusal of all others. */
export function servlet(
  path: string,
  about: string,
  access: RouteAccess,
  handle: (call: Call) => Answer | Promise<Answer>,
): Route<never>[] {
  const shared = { path, about, access, produces: 'any', gzip: false } as const;
  // A servlet has one address: with a slash behind it the container has nothing there.
  const route = (method: Method, answer: (call: Call) => Answer | Promise<Answer>): Route<never> => ({
    ...shared,
    method,
    handle: (call: Call) => (call.path === path ? answer(call) : nothingHere(call)),
  });
  const refusal = (method: Method): Route<never> => ({ ...route(method, methodNotSupported), refuses: true });
  return [
    route('GET', handle),
    ...(['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'] as const).map(refusal),
    route('OPTIONS', () => text(200, '', 'text/plain;charset=utf-8', { allow: 'GET, HEAD, TRACE, OPTIONS' })),
  ];
}

const nothingHere = ({ method, path, headers: { accept } }: Call): Answer =>
  unknownPathAnswer({ interfacePages: [], folders: [], headOfAbsentIs405: false }, { method, path, accept });

const sourceOf = ({ key, source }: ConfigurationProperty): string =>
  source === 'defaults' ? (standardFiles.find(([prefix]) => key.startsWith(prefix))?.[1] ?? 'core-default.xml') : source;

interface Shown {
  readonly key: string;
  readonly value: string;
  readonly isFinal: boolean;
  readonly resource: string;
}

/** `/conf`, whole or by `?name=`; XML unless JSON is asked for. Values of secrets are not shown. */
export function configurationRoutes(configuration: Configuration): Route<never>[] {
  let redaction: Redaction | undefined;
  const shown = (property: ConfigurationProperty): Shown => ({
    key: property.key,
    value: shownValue(configuration, (redaction ??= redactionOf(configuration)), property.key, property.value),
    isFinal: property.final,
    resource: sourceOf(property),
  });
  const asXml = (properties: readonly Shown[]): string => {
    const elements = properties.map(
      ({ key, value, isFinal, resource }) =>
        `<property><name>${escapeXml(key)}</name><value>${escapeXml(value)}</value><final>${isFinal}</final><source>${escapeXml(resource)}</source></property>\n`,
    );
    return `<?xml version="1.0" encoding="UTF-8" standalone="no"?><configuration>\n${elements.join('')}</configuration>\n`;
  };
  // As in Hadoop, what is set to nothing is not set.
  const properties = () => configuration.properties().filter(({ value }) => value !== '');
  return servlet('/conf', 'The settings in force, with the file that set each.', 'admin', (call) => {
    const inJson = /json/i.test(call.headers.accept ?? '');
    const contentType = inJson ? 'application/json;charset=utf-8' : 'text/xml;charset=utf-8';
    const name = call.query.first('name');
    if (name) {
      const found = properties().find(({ key }) => key === name);
      if (!found) return text(404, '', contentType);
      return text(200, inJson ? JSON.stringify({ property: shown(found) }) : asXml([shown(found)]), contentType);
    }
    const all = properties().map(shown);
    return text(200, inJson ? JSON.stringify({ properties: all }) : asXml(all), contentType);
  });
}

/** `/stacks`: what this process has open, in place of a thread dump. */
export function stackRoutes(): Route<never>[] {
  return servlet('/stacks', 'What this process waits for.', 'admin', () => {
    const counts = new Map<string, number>();
    for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1);
    const lines = [...counts].map(([name, count]) => `  ${name}: ${count}`);
    const { rss, heapUsed, heapTotal } = process.memoryUsage();
    return text(
      200,
      `Process Thread Dump: \n1 active threads\nresident ${rss} bytes, heap ${heapUsed} of ${heapTotal} bytes, up ${Math.round(process.uptime())} s\nactive resources:\n${lines.join('\n')}\n`,
      'text/plain;charset=utf-8',
    );
  });
}

/**
 * `/ready` (and `/readyz`): 200 where the server does its work, 503 with the reason where not; without a source it is ready as soon as it
 * answers. `/healthz`: 200 for as long as it answers at all; who restarts what does not asks there.
 */
export function readyRoutes(readiness?: ReadinessSource): Route<never>[] {
  const handle = (): Answer => {
    const { ready, reason } = readiness?.current ?? { ready: true };
    return json(ready ? { ready } : { ready, reason }, ready ? 200 : 503);
  };
  const open = { method: 'GET', produces: 'any', authentication: 'none', access: 'open' } as const;
  return [
    ...['/ready', '/readyz'].map((path) => ({ ...open, path, about: 'Whether the server does its work.', handle })),
    { ...open, path: '/healthz', about: 'Whether the server answers.', handle: () => json({ healthy: true }) },
  ];
}
