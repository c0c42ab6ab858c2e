import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { errorCatalogue } from '../errors.ts';
import type { ErrorEntry } from './entry.ts';

const entries = Object.entries(errorCatalogue) as [string, ErrorEntry][];

/** A refusal that Apache Hadoop 3.4.2 answered. */
interface Recorded {
  readonly id: string;
  readonly status: number;
  readonly javaClass: string;
  readonly exception: string;
  /** Undefined where it is a library's own. */
  readonly message: string | undefined;
}

/** The refusals among the recordings, from JSON with and without a root, and from XML. */
function recordedRefusals(): Recorded[] {
  const folder = join(import.meta.dirname, '../../../test/compatibility/stories');
  return readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => {
        const { id, loose, response } = JSON.parse(line) as { id: string; loose?: string[]; response: { status: number; body: string } };
        // Where the words are those of a library, its class and status count.
        const isLoose = loose?.includes('message') ?? false;
        const fault = response.status >= 400 ? faultOf(response.body) : undefined;
        return fault?.javaClassName
          ? [
              {
                id,
                status: response.status,
                javaClass: fault.javaClassName,
                exception: fault.exception ?? '',
                message: isLoose ? undefined : (fault.message ?? ''),
              },
            ]
          : [];
      }),
  );
}

interface Fault {
  readonly javaClassName?: string;
  readonly exception?: string;
  readonly message?: string;
}

function faultOf(body: string): Fault | undefined {
  if (body.startsWith('<?xml')) {
    const part = (name: string) =>
      new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1]?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    const [javaClassName, exception, message] = [part('javaClassName'), part('exception'), part('message')];
    return {
      ...(javaClassName ? { javaClassName } : {}),
      ...(exception ? { exception } : {}),
      ...(message === undefined ? {} : { message }),
    };
  }
  try {
    const value = JSON.parse(body) as Fault & { RemoteException?: Fault };
    return value.RemoteException ?? value;
  } catch {
    return undefined;
  }
}

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** What the sentences of an entry look like on the wire: its prefix, its words, anything where a parameter stands. */
const patternOf = ({ prefix = '', message }: ErrorEntry): RegExp =>
  new RegExp(
    `^${(prefix + message)
      .split(/\{\w+\}/)
      .map(quoted)
      .join('[\\s\\S]*')}$`,
  );

describe('refusals that Hadoop answered', () => {
  const recorded = recordedRefusals();

  it('are many, of many classes', () => {
    assert.ok(recorded.length > 150);
    assert.ok(new Set(recorded.map(({ javaClass }) => javaClass)).size >= 5);
  });

  it('have each an entry of their class, status and sentence', () => {
    const patterns = entries.map(([code, entry]) => ({ code, entry, pattern: patternOf(entry) }));
    const strange = recorded.filter(
      ({ status, javaClass, message }) =>
        !patterns.some(
          ({ entry, pattern }) =>
            entry.status === status && entry.javaClass === javaClass && (message === undefined || pattern.test(message)),
        ),
    );
    assert.deepEqual(
      strange.map(({ id, status, javaClass, message }) => `${id}: ${status} ${javaClass}: ${message}`),
      [],
    );
  });

  it('show the simple name of their class', () => {
    for (const { id, javaClass, exception } of recorded)
      assert.equal(exception, javaClass.slice(javaClass.lastIndexOf('.') + 1).replace(/^.*\$/, ''), id);
  });
});

describe('codes', () => {
  const ending = (pattern: RegExp) => entries.filter(([code]) => pattern.test(code)).map(([code, { status }]) => ({ code, status }));

  it('that say how something is written have the status of a bad request', () => {
    for (const { code, status } of ending(/_(MALFORMED|NOT_PARSABLE|NEGATIVE|NOT_A_NUMBER|INCOMPLETE|TOO_SMALL)$/))
      assert.ok([400, 404].includes(status), `${code}: ${status}`);
  });

  it('that say that something is too large, overloaded or not acceptable have the status of that', () => {
    for (const { code, status } of ending(/_TOO_LARGE$/)) assert.ok([400, 413].includes(status), `${code}: ${status}`);
    for (const { code, status } of ending(/^OVERLOADED$/)) assert.equal(status, 429, code);
    for (const { code, status } of ending(/^(NOT_ACCEPTABLE)$/)) assert.equal(status, 406, code);
  });

  it('that say that something is not there have the status of that', () => {
    for (const { code, status } of ending(/_NOT_FOUND$/)) assert.equal(status, 404, code);
  });

  it('that refuse a caller say who was refused, or what to do', () => {
    for (const [code, { status, message, remedy }] of entries)
      if (status === 401 || status === 403)
        assert.ok(/\{user\}|\{caller\}|\{reason\}|\{owner\}/.test(message) || remedy !== undefined || message !== '', code);
  });
});

/** Codes that two servers have for the same sentence, and that no client meets in one place. */
const ofTwoServers = [
  'STATE_TARGET_UNKNOWN and TARGET_STATE_REFUSED',
  'HISTORY_CONTAINER_ID_INVALID and LOGS_CONTAINER_ID_MALFORMED',
  'HISTORY_NO_LOGS and LOGS_ABSENT',
  'HISTORY_NOT_STARTED and LOGS_NOT_YET',
];

describe('sentences', () => {
  it('of two codes of one server are not the same', () => {
    const seen = new Map<string, string>();
    const twins: string[] = [];
    for (const [code, { status, javaClass, prefix = '', message, form = 'record' }] of entries) {
      // A sentence that is a parameter alone says what its caller fills in.
      if (/^\{\w+\}$/.test(message)) continue;
      const key = `${form} ${status} ${javaClass} ${prefix}${message.replace(/\{\w+\}/g, '{}')}`;
      const other = seen.get(key);
      if (other) twins.push(`${other} and ${code}`);
      seen.set(key, code);
    }
    assert.deepEqual(twins, ofTwoServers);
  });

  it('have no blank at their ends and no brace that is none of a parameter', () => {
    for (const [code, { message }] of entries) {
      assert.equal(message, message.trimEnd(), code);
      const rest = message.replace(/\{\w+\}/g, '');
      assert.equal((rest.match(/\{/g) ?? []).length, (rest.match(/\}/g) ?? []).length, code);
    }
  });
});
