// Every number in docs/operate/security.md that is one of Heddle's own: what the page says is what the code does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { entryOf } from '../src/config/setting-facts.ts';
import { RequestIds } from '../src/http/request-ids.ts';
import { deepestJson, mostJsonValues, parseJson } from '../src/lib/json-text.ts';
import { seededRandom } from '../src/lib/random.ts';
import { fewestSecretBytes, isWeak } from '../src/lib/secret-rules.ts';
import { errorCatalogue } from '../src/model/errors.ts';
import { mostFilterValues } from '../src/timeline/store/entity-store.ts';
import { parseXmlBody } from '../src/wire/codec/xml-body.ts';
import { mostFields } from '../src/wire/rpc/codec.ts';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/operate/security.md'), 'utf8').replace(/\s+/g, ' ');

/** A number in the product that has a name: `const NAME = 60_000`, also as a parameter's default, and as a multiple of another name. */
function constant(file: string, name: string): number {
  const text = readFileSync(join(root, 'src', file), 'utf8');
  const value = new RegExp(`\\b${name} = ([\\w. *]+)[;,]`).exec(text)?.[1];
  assert.ok(value !== undefined, `src/${file} has no number ${name}`);
  return value.split('*').reduce((product, factor) => {
    const word = factor.trim();
    return product * (/^\d/.test(word) ? Number(word.replaceAll('_', '')) : constant(file, word));
  }, 1);
}

const setting = (key: string): string => String(entryOf(key)?.default);
const portOf = (key: string): string => /:(\d+)$/.exec(setting(key))?.[1] ?? '';
const thousands = (value: number): string => value.toLocaleString('en-US');
const day = 86_400_000;
const minute = 60_000;

/** Sentences with their numbers, made from the code. */
const said: readonly (readonly [about: string, sentence: string])[] = [
  ['tokens that may do everything', `may do everything for more than ${constant('cli/doctor-tokens.ts', 'longestAdminMs') / day} days`],
  [
    'files of containers',
    [
      `${thousands(constant('node-manager/files/container-files.ts', 'mostEntries'))} entries of a folder (${thousands(constant('node-manager/files/file-programs.ts', 'mostOneByOne'))} where the image has no \`find\` of GNU), a gigabyte in an answer (the next one goes on)`,
      `${constant('node-manager/files/container-files.ts', 'longestReadMs') / minute} minutes for a file`,
      `${constant('node-manager/files/container-files.ts', 'firstAnswerMs') / 1000} seconds until there is something to show`,
      `${constant('node-manager/files/container-files.ts', 'mostLooks')} looks at once on a node`,
      `${constant('node-manager/files/container-files.ts', 'mostLooksOfUser')} of one user`,
    ].join(', '),
  ],
  [
    'the resource manager away',
    constant('auth/bearer/remote-judge.ts', 'awayMs') === minute ? 'tokens that they know count for one more minute' : '?',
  ],
  ['tickets of roles', constant('auth/kerberos/role-key.ts', 'renewalPart') === 0.8 ? "when a fifth of the last one's time is left" : '?'],
  ['keys of an issuer', constant('auth/oidc/issuer.ts', 'freshMs') === 10 * minute ? 'Keys are read again every ten minutes' : '?'],
  ['keys of an issuer that is down', setting('heddle.security.oidc.keys-usable') === '24h' ? 'they count for a day more' : '?'],
  [
    'slow requests',
    constant('http/web-server.ts', 'defaultRequestTimeoutMs') === 10 * minute && constant('http/service.ts', 'longestStreamMs') === day
      ? 'ten minutes with its body; where the body is a file that is passed on, a day, and ten minutes without a byte'
      : '?',
  ],
  [
    'what is kept from strangers of this machine',
    constant('lib/connection-counts.ts', 'keptFromStrangers') === 0.25 ? 'a quarter of what there is, descriptors too, is kept' : '?',
  ],
  ['configurations of jobs', `its configuration up to ${constant('history/jobs/job-store.ts', 'maximumConfigurationBytes') / 2 ** 20} MiB`],
  ['sessions', `(\`heddle.session\`, ${setting('heddle.security.oidc.session').replace('h', ' h')})`],
  [
    'connections that were not proven',
    constant('http/unproven-connections.ts', 'repeatMs') === minute ? 'each address has one line a minute' : '?',
  ],
  [
    'https addresses',
    `its https address (${[
      'yarn.resourcemanager.webapp.https.address',
      'yarn.nodemanager.webapp.https.address',
      'yarn.timeline-service.webapp.https.address',
      'yarn.timeline-service.reader.webapp.https.address',
      'mapreduce.jobhistory.webapp.https.address',
    ]
      .map(portOf)
      .join(', ')})`,
  ],
  ['certificates', `ends within ${constant('cli/doctor-certificates.ts', 'toldBeforeMs') / 86_400_000} days`],
  ['keys of an issuer', `(${constant('auth/oidc/issuer.ts', 'newKeyPauseMs') / 1000} seconds after they were read last, at the earliest)`],
  ['values of JSON', `JSON nests at most ${deepestJson} levels deep and has at most ${thousands(mostJsonValues)} values`],
  ['fields of RPC', `A message of Hadoop RPC has at most ${thousands(mostFields)} fields`],
  ['XML', `XML has at most ${thousands(constant('wire/codec/xml-body.ts', 'mostMarkup'))} pieces of markup`],
  [
    'constraints',
    `at most ${thousands(constant('model/placement-constraint.ts', 'mostTerms'))} tags, values and brackets each, and ${thousands(constant('resource-manager/commands/placement-constraints.ts', 'mostTermsOfCall'))} in one call`,
  ],
  [
    'entities of the timeline',
    `at most ${mostFilterValues} values of primary filters, each of which keeps all that is put with it, and one put of an entity writes at most ${thousands(constant('timeline/v1/portions.ts', 'mostParts'))} parts`,
  ],
  ['patterns', `stop after ${constant('lib/bounded-pattern.ts', 'limitMs')} ms of work`],
  ['descriptors', `while less than ${constant('lib/connection-counts.ts', 'keptFree') * 100} % of the descriptors of the process are free`],
  [
    'shells',
    `\`heddle.node-manager.shell.maximum\` (${setting('heddle.node-manager.shell.maximum')}) on a node, \`….maximum-per-user\` (${setting('heddle.node-manager.shell.maximum-per-user')}), \`….maximum-per-container\` (${setting('heddle.node-manager.shell.maximum-per-container')})`,
  ],
  ['files of holes', `ends where ${constant('lib/bounded-file.ts', 'holeBytes') / 1024} KiB begin that nobody wrote`],
  [
    'messages of WebSockets',
    `(${constant('wire/node/shell.ts', 'longestShellMessage') / 1024} KiB of a shell), or in more than ${thousands(constant('lib/reliable-channel.ts', 'mostFragments'))} fragments`,
  ],
  ['bytes of shells', `At most ${constant('node-manager/shells/shell-session.ts', 'mostOutputBytes') / 1024} KiB wait`],
  ['weak secrets', `fewer than ${fewestSecretBytes} bytes`],
  [
    'what is too much',
    `${errorCatalogue.CONNECTIONS_OF_ADDRESS_FULL.status} where it is the address's, ${errorCatalogue.CONNECTIONS_FULL.status} where it is everybody's`,
  ],
];

const statusOf = (code: keyof typeof errorCatalogue): number => errorCatalogue[code].status;
/** Sentences with the status of an answer. */
const answered: readonly string[] = [
  `everybody else's get ${statusOf('LOCAL_USER_UNTRUSTED')} with`,
  `callers without a token get ${statusOf('BEARER_REQUIRED')},`,
  `answer is ${statusOf('BODY_NOT_PARSABLE')} before anything is built`,
  `Everything else is answered ${statusOf('HOST_REFUSED')}:`,
  `are answered ${statusOf('ORIGIN_REFUSED')}, unless the cross-origin settings`,
  `a browser gets ${statusOf('CHANGE_BY_LINK')} unless`,
];

/** What tests hold that start programs: sentence, test, words of it. */
const elsewhere: readonly (readonly [sentence: string, test: string, words: string])[] = [
  ['It exits with 1 where there is a `problem`', 'test/cluster/security-claims.test.ts', 'doctor ends with 1'],
  ['`heddle start node-manager` ends with 1', 'test/processes/starting.test.ts', 'assert.equal(stranger.child.exitCode, 1)'],
  ['is answered 202 and changes nothing', 'test/cluster/security-claims.test.ts', 'is answered 202 and changes nothing'],
  ['Root may give such a file to a group (mode 0440)', 'src/auth/secret-file.test.ts', '0o100440, uid: 0'],
  ['The data folder is made with mode 0700 (0711 where containers run as other users', 'src/cli/cluster-file.test.ts', '[0o711, 0o700]'],
  ['stores with 0600', 'test/cluster/security-claims.test.ts', 'stores are for their owner alone'],
  ['those of a container in that of its node (mode 0600)', 'test/cluster/security-claims.test.ts', 'stores are for their owner alone'],
  ["becomes a file of mode 0600 in the container's folder", 'test/cluster/security-claims.test.ts', 'mode 0600 in its folder'],
  [
    'waits one to five milliseconds for it, and 30 to 55 where 10,000 connections are open (measured',
    'src/lib/tcp-peers.test.ts',
    'userIdOf',
  ],
];

/** Numbers that are names (of protocols, algorithms, states of HTTP, addresses, versions, programs), or examples. */
const others =
  /RFC \d+|section [\d.]+|SHA-?256|PKCS12|HTTP\/[\d.]+|127\.0\.0\.1|10\.0\.0\.\d(?:\/8)?|:8088|--(?:expires|keep) \d+d|-s 30G|UTF-8|auth_to_local|[Vv]ersion \d|\bv\d\b|HMAC-SHA256|base64|IPv4|Log4j|s3a|krb5|libkrb5/g;

describe('the page about security', () => {
  for (const [about, sentence] of said) it(`says of ${about}: ${sentence}`, () => assert.ok(page.includes(sentence), sentence));

  it('says with which status requests are refused', () => {
    for (const sentence of answered) assert.ok(page.includes(sentence), sentence);
  });

  it('says what other tests hold', () => {
    for (const [sentence, test, words] of elsewhere) {
      assert.ok(page.includes(sentence), sentence);
      assert.ok(readFileSync(join(root, test), 'utf8').includes(words), `${test} does not hold: ${sentence}`);
    }
  });

  it('says of texts that are too deep or too long what their parsers do', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    assert.ok(parseJson(nested(deepestJson)));
    assert.throws(() => parseJson(nested(deepestJson + 1)));
    const most = constant('wire/codec/xml-body.ts', 'mostMarkup');
    assert.ok(parseXmlBody(`<a>${'<b/>'.repeat(most / 2)}</a>`, 'a'));
    assert.throws(() => parseXmlBody(`<a>${'<b/>'.repeat(most + 1)}</a>`, 'a'));
  });

  it('says of secrets and names of requests what counts', () => {
    const different = Buffer.from(Array.from({ length: fewestSecretBytes }, (_, index) => index));
    assert.deepEqual([isWeak(different), isWeak(different.subarray(1)), isWeak(Buffer.alloc(64, 'ab'))], [false, true, true]);
    const [, fewest = '', most = ''] = /where that has (\d+) to (\d+) letters, digits/.exec(page) ?? [];
    const ids = new RequestIds(seededRandom(1));
    const isTaken = (id: string) => ids.of({ headers: { 'x-request-id': id } } as never) === id;
    assert.deepEqual(
      [Number(fewest) - 1, Number(fewest), Number(most), Number(most) + 1].map((length) => isTaken('a'.repeat(length))),
      [false, true, true, false],
    );
  });

  it('has no other number that nothing holds', () => {
    const sentences = [
      ...said.map(([, sentence]) => sentence),
      ...answered,
      ...elsewhere.map(([sentence]) => sentence),
      /where that has \d+ to \d+ letters/,
    ];
    const held = sentences.reduce<string>(
      (text, sentence) => text.replaceAll(typeof sentence === 'string' ? sentence : new RegExp(sentence, 'g'), ''),
      page,
    );
    const left = held
      .replace(/<!--.*?-->/g, '')
      .replace(/```.*?```/g, '')
      .replace(others, '')
      .match(/(?<![\w.:/-])\d[\d,.]*(?: (?:%|ms|s|h|bytes|levels|days|milliseconds|minutes))?(?![\w/-])/g);
    assert.deepEqual(left ?? [], []);
  });
});
