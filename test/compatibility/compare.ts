// Compares an answer with a recorded one: status, content type, the headers a client may act on, and the body member by member.
// What differs from run to run is compared by its type only; the rules for that stand here, nowhere else.
import type { Story } from './recordings.ts';
import { parseElements, parseRepeating } from './recordings.ts';

/** What was answered here. */
export interface ActualAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** Members whose value differs from run to run, or from one build to another: names and versions of the software, times, figures of use. */
const varyingMembers: readonly RegExp[] = [
  /[Tt]ime$/,
  /[Tt]imestamp$/,
  /^(id_|startedOn|clusterId|nmStartupTime|stackTrace|healthReport|rmStateStoreName|haZooKeeperConnectionState)$/,
  /[Vv]ersion/,
  /(Utilization|CPUUsage|Seconds|QueueSize|BusyPercent)$/,
];

/** Addresses of the servers, wherever they stand in a value. */
const withoutAddresses = (text: string): string => text.replace(/\b(?:localhost|127\.0\.0\.1)(?::\d+)?/g, '{address}');

/** Headers that clients act on. Hosts and ports in them are those of the run. */
const comparedHeaders = ['location', 'allow', 'www-authenticate', 'content-encoding', 'etag'] as const;

const mediaOf = (headers: Readonly<Record<string, string | undefined>>): string =>
  (headers['content-type'] ?? '').replace(/\s/g, '').toLowerCase();
const withoutHost = (value: string | undefined): string | undefined => value?.replace(/^https?:\/\/[^/]+/, '');

/** The differences as sentences; none where the answers are the same to a client. */
export function differences(recorded: Story, actual: ActualAnswer): string[] {
  const { response } = recorded;
  const found: string[] = [];
  const note = (what: string, expected: unknown, given: unknown) => {
    found.push(`${what}: recorded ${JSON.stringify(expected)}, here ${JSON.stringify(given)}`);
  };
  if (response.status !== actual.status) note('status', response.status, actual.status);
  const media = mediaOf(response.headers);
  if (media !== mediaOf(actual.headers)) note('content type', media, mediaOf(actual.headers));
  for (const name of comparedHeaders) {
    const [expected, given] = [withoutHost(response.headers[name]), withoutHost(actual.headers[name])];
    if (expected !== given) note(name, expected, given);
  }
  const varies = (name: string) =>
    (recorded.loose?.includes(name) ?? false) || (!recorded.exact && varyingMembers.some((rule) => rule.test(name)));
  const isSet = (name: string) => recorded.unordered?.includes(name) ?? false;
  const compare = comparer(varies, isSet, note);
  const text = response.body.trim();
  try {
    if (media.includes('json') && /^[{["]/.test(text)) compare(parseRepeating(text), parseRepeating(actual.body), '', '');
    else if (media.includes('xml') && text.startsWith('<') && !media.includes('wadl'))
      compare(parseElements(text), parseElements(actual.body), '', '');
    else if (/html|wadl/.test(media)) {
      // Pages and descriptions are the server's own; that there is one counts.
      if ((text === '') !== (actual.body.trim() === '')) note('page', text.length, actual.body.length);
    } else if (text !== actual.body.trim()) note('text', text, actual.body.trim());
  } catch (error) {
    found.push(`the body cannot be parsed: ${String(error)}: ${actual.body.slice(0, 200)}`);
  }
  return found;
}

const comparable = (value: unknown): unknown => (typeof value === 'string' ? withoutAddresses(value) : value);
const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);

function comparer(
  varies: (name: string) => boolean,
  isSet: (name: string) => boolean,
  note: (what: string, expected: unknown, given: unknown) => void,
): (recorded: unknown, actual: unknown, path: string, name: string) => void {
  const ordered = (list: readonly unknown[], name: string) =>
    isSet(name) ? list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : list;
  return function compare(recorded, actual, path, name): void {
    if (kindOf(recorded) !== kindOf(actual)) return note(`${path} is of another type`, recorded, actual);
    if (Array.isArray(recorded) && Array.isArray(actual)) {
      if (recorded.length !== actual.length) return note(`${path} is of another length`, recorded.length, actual.length);
      const [left, right] = [ordered(recorded, name), ordered(actual, name)];
      left.forEach((item, index) => compare(item, right[index], `${path}[${index}]`, name));
    } else if (typeof recorded === 'object' && recorded !== null) {
      const given = actual as Record<string, unknown>;
      for (const [member, value] of Object.entries(recorded)) {
        if (!Object.hasOwn(given, member)) note(`${path}.${member} is absent`, value, undefined);
        else compare(value, given[member], `${path}.${member}`, member);
      }
      for (const member of Object.keys(given))
        if (!Object.hasOwn(recorded, member)) note(`${path}.${member} is too much`, undefined, given[member]);
    } else if (comparable(recorded) !== comparable(actual) && !varies(name)) note(path, recorded, actual);
  };
}
