// Every parser of texts that callers, masters, jobs or nodes send, with the pieces that its language is made of: what doubles inputs and
// what makes random ones goes through this table.

import { authenticationCookie } from '../../src/auth/cookie.ts';
import { decodeIdentifier } from '../../src/auth/delegation/token-identifier.ts';
import { decodeToken } from '../../src/auth/delegation/token-text.ts';
import { nameRules } from '../../src/auth/kerberos/name-rules.ts';
import { verifiedProxyUser } from '../../src/auth/proxy-user.ts';
import { addressMatches } from '../../src/auth/proxy-users.ts';
import { bearerToken } from '../../src/auth/secrets.ts';
import { CookieSigner } from '../../src/auth/signer.ts';
import { RecordTooLong } from '../../src/batch/tasks/container-memory.ts';
import { streamReader } from '../../src/batch/tasks/programs/stream-readers.ts';
import { typedBytesText } from '../../src/batch/tasks/programs/typed-bytes.ts';
import { isRemote, remoteParts } from '../../src/batch/tasks/remote/store.ts';
import { readPage } from '../../src/client/s3-listing.ts';
import { unreadableTargets } from '../../src/config/allowed-targets.ts';
import { parseHadoopXml } from '../../src/config/hadoop-xml.ts';
import { parseAddress, parseBytes, parseDuration } from '../../src/config/values.ts';
import { readJobFilter } from '../../src/history/jobs/job-filter.ts';
import { addressWithoutToken, withoutToken } from '../../src/http/credentials.ts';
import { crossOriginFilter } from '../../src/http/cross-origin.ts';
import { createCrossSiteGuard } from '../../src/http/cross-site.ts';
import { proxiedApplicationId } from '../../src/http/forward.ts';
import { forwardedHeaders, passedHeaders } from '../../src/http/forward-headers.ts';
import { answerBeans } from '../../src/http/jmx.ts';
import { jsonBody } from '../../src/http/json-body.ts';
import { requestedRange, wantsEvents } from '../../src/http/log-events.ts';
import { negotiate } from '../../src/http/negotiate.ts';
import { processBeans } from '../../src/http/process-beans.ts';
import { Query } from '../../src/http/query.ts';
import { matchesGlob } from '../../src/lib/glob.ts';
import { hostNameOf } from '../../src/lib/host-name.ts';
import { anything } from '../../src/lib/json-shape.ts';
import { parseJson } from '../../src/lib/json-text.ts';
import { parseAccessList } from '../../src/model/access-list.ts';
import { healthRemedies } from '../../src/model/health-remedies.ts';
import { parseApplicationId, parseAttemptId, parseContainerId, parseNodeId } from '../../src/model/ids.ts';
import { parseJobId, parseTaskAttemptId, parseTaskId } from '../../src/model/job-ids.ts';
import { parseConstraint } from '../../src/model/placement-constraint.ts';
import { ResourceTypes } from '../../src/model/resource.ts';
import { parseAmount } from '../../src/model/units.ts';
import { parseVariables } from '../../src/node-manager/containers/environment.ts';
import { attributesOfOutput, labelOfOutput } from '../../src/node-manager/descriptors/providers.ts';
import { readShellRequest } from '../../src/node-manager/shells/shell-session.ts';
import { parseExecutorFile } from '../../src/node-manager/users.ts';
import { parseExpiry } from '../../src/resource-manager/commands/set-lifetime.ts';
import { parseApplicationFilter } from '../../src/resource-manager/http/application-filter.ts';
import { labelNodeId } from '../../src/resource-manager/labels/label-manager.ts';
import { Occurrences } from '../../src/resource-manager/schedules/occurrences.ts';
import { parseCapacity } from '../../src/scheduler/capacity/settings/capacity-value.ts';
import { parsePriorityGrants } from '../../src/scheduler/capacity/settings/priority-grants.ts';
import { parseAllocations } from '../../src/scheduler/fair/allocations.ts';
import { readEntities } from '../../src/timeline/http/v1-bodies.ts';
import { readEntitiesV2 } from '../../src/timeline/http/v2-bodies.ts';
import { fieldsParameter, listParameter, pairsParameter } from '../../src/timeline/v1/query.ts';
import {
  parseConfigFilter,
  parseEventFilter,
  parseInfoFilter,
  parseMetricFilter,
  parsePrefixes,
  parseRelationFilter,
} from '../../src/timeline/v2/filters.ts';
import { splitParts } from '../../src/timeline/v2/uid.ts';
import { digestOf } from '../../src/wire/cluster/staging.ts';
import { submissionContext } from '../../src/wire/cluster/submission.ts';
import { readBody } from '../../src/wire/codec/read.ts';
import { parseXmlBody } from '../../src/wire/codec/xml-body.ts';
import { readJobConfiguration } from '../../src/wire/files/job-configuration.ts';
import { parseHistory } from '../../src/wire/files/job-history.ts';
import { parseHistoryFileName } from '../../src/wire/files/job-history-names.ts';
import { sequenceKeys } from '../../src/wire/files/sequence-reader.ts';

/** A parser, as the table describes it. */
export interface TriedParser {
  readonly name: string;
  /** Reads a text or throws; what comes out is not looked at. */
  readonly read: (text: string) => unknown;
  /** What texts are put together of. */
  readonly pieces: readonly string[];
  /** What may stand in front of a run of pieces, and behind one; '' as well. */
  readonly fronts?: readonly string[];
  readonly backs?: readonly string[];
  /** Longest text that is tried: 16 KiB for what stands in a header or an address, for bodies enough to see how work grows. */
  readonly longest: number;
  /** Its refusals are errors without a class of their own. */
  readonly refusesPlainly?: boolean;
}

const kibi = 1024;
const ofHeader = 16 * kibi;
const ofBody = 64 * kibi;
const signer = new CookieSigner(Buffer.alloc(32, 7));
const beans = processBeans('ResourceManager', 'host');
const crossOrigin = crossOriginFilter({
  allowedOrigins: 'http://*.example.*:80,http://a*b*c,regex:https?://[a-z.]+\\.example',
  allowedMethods: 'GET',
  allowedHeaders: 'Accept',
  maximumAge: '1',
});
const crossSite = createCrossSiteGuard({ get: (key) => (key.endsWith('.enabled') ? 'true' : undefined) }, 'resourceManager')!;
const principals = nameRules({ rules: 'RULE:[2:$1;$0](.*;H.*E)s/;.*//L DEFAULT', mechanism: 'hadoop', defaultRealm: 'HERE' });
const types = new ResourceTypes();
const bytes = (text: string): Buffer => Buffer.from(text);
const json = [
  '[',
  ']',
  '{',
  '}',
  '"',
  '\\',
  '\\"',
  ',',
  ':',
  ' ',
  '\n',
  '0',
  '-',
  '1e9',
  '1.',
  '"a":',
  '{"a":',
  '[1],',
  'null',
  'nul',
  'é',
];
const xml = [
  ...['<a', '</a', '<a ', '<a>', '</a>', '<a/>', '<a></b>', '<', '>', '<!--', '-->', '<![CDATA[', ']]>', '&', '&lt;', '&#1;', '&x;'],
  ...[
    '"',
    "'",
    ' ',
    '\n',
    'a',
    'a="b" ',
    " a='",
    ' xmlns="',
    '<!DOCTYPE a [',
    '<!ENTITY a "b">',
    '<?a',
    '?>',
    '<__proto__>',
    '<constructor/>',
  ],
];
const xmlFronts = (root: string) => [
  `<${root}>`,
  `<${root} a="`,
  `<!DOCTYPE ${root} [`,
  `<!DOCTYPE ${root} [<!ENTITY x "xxxxxxxxxxxxxxxx">]><${root}>`,
  `<${root}><!--`,
];
const filter = ['a', ' ', '(', ')', '!', '!(', ',', ':', ' eq ', 'a eq 1 and ', 'a eq 1 or (', 'and ', '(a ne b) or ', '"', '[', '9'];
const cookie = ['hadoop.auth', '=', '"', ';', ' ', '&s=', '&u=', 'u=a&p=a&t=simple&e=9', '%', '%41', 'proxy-user=', '\t', ','];
const number = ['0', '9', '-', '+', '.', 'e', ' ', 'f', 'x'];
const id = ['application_', '1', '_', '-', 'container_e', 'attempt_', 'job_', 'task_', 'm', '99999999999999999999', ' '];

export const parsers: readonly TriedParser[] = [
  {
    name: 'XML body',
    read: (text) => parseXmlBody(text, 'app', ['other']),
    pieces: xml,
    fronts: xmlFronts('app'),
    backs: ['</app>', '>'],
    longest: ofBody,
  },
  {
    name: 'submission in XML',
    read: (text) => readBody(submissionContext, bytes(text), 'xml'),
    pieces: [...xml, '<am-container-spec>', '<entry><key>a</key><value>b</value></entry>', '<tag>a</tag>'],
    fronts: ['<application-submission-context>'],
    backs: ['</application-submission-context>'],
    longest: ofBody,
  },
  {
    name: 'submission in JSON',
    read: (text) => readBody(submissionContext, bytes(text), 'json'),
    pieces: json,
    fronts: ['{"application-tags":'],
    backs: ['}'],
    longest: ofBody,
  },
  { name: 'JSON body', read: (text) => jsonBody(anything(), bytes(text)), pieces: json, longest: ofBody },
  {
    name: 'principals',
    read: (text) => principals(text),
    pieces: ['a', '/', '@', '\\', 'HERE', '@HERE', '/_HOST'],
    fronts: ['a/', 'a@'],
    longest: ofHeader,
  },
  {
    name: 'page of a bucket',
    read: (text) => readPage(text, 'a'),
    pieces: [
      '<Contents>',
      '</Contents>',
      '<Key>',
      '</Key>',
      'a',
      '&',
      '&#65;',
      '&#9999999;',
      '&amp;',
      '%',
      '%41',
      '<CommonPrefixes>',
      '</CommonPrefixes>',
      '<Prefix>',
    ],
    fronts: ['<ListBucketResult>', '<Contents>'],
    backs: ['</Contents>'],
    longest: ofBody,
  },
  {
    name: 'address of input',
    read: (text) => isRemote(text) && remoteParts(text),
    pieces: ['a', ':', '/', '//', '?', '#', '@', '[', '.'],
    fronts: ['s3a://', 'webhdfs://', 'http://'],
    longest: ofHeader,
  },
  {
    name: 'message of a shell',
    read: (text) => readShellRequest(text),
    pieces: [...json, '"type":', '"start"', '"resize"', '"command":', '"rows":1'],
    longest: ofBody,
  },
  { name: 'JSON text', read: (text) => parseJson(text), pieces: json, longest: ofBody },
  {
    name: 'timeline entities',
    read: (text) => readEntities(text),
    pieces: [...json, '0.10', '12345678901234567890'],
    fronts: ['{"entities":[{"otherinfo":'],
    backs: ['}]}'],
    longest: ofBody,
  },
  {
    name: 'timeline entities, version 2',
    read: (text) => readEntitiesV2(bytes(text)),
    pieces: json,
    fronts: ['{"entities":['],
    backs: [']}'],
    longest: ofBody,
  },
  {
    name: 'job configuration',
    read: readJobConfiguration,
    pieces: [...xml, '<property><name>a</name><value>b</value></property>', '<property>'],
    fronts: ['<configuration>'],
    backs: ['</configuration>'],
    longest: ofBody,
  },
  {
    name: 'Hadoop configuration',
    read: (text) => parseHadoopXml(text, 'a file'),
    pieces: [...xml, '<property><name>a</name><value>${b}</value></property>'],
    fronts: ['<configuration>'],
    backs: ['</configuration>'],
    longest: ofBody,
  },
  {
    name: 'allocations of the fair scheduler',
    read: (text) => parseAllocations(text, types),
    pieces: [...xml, '<queue name="a">', '<minResources>1 mb, 1 vcores</minResources>'],
    fronts: ['<allocations>', '<allocations><queue name="a"><minResources>'],
    backs: ['</allocations>'],
    longest: ofBody,
  },
  {
    name: 'job history',
    read: (text) => [...parseHistory(bytes(text))],
    pieces: [...json, 'Avro-Json\n', '\u0000', '\u0002'],
    fronts: ['Avro-Json\n', 'Avro-Json\n{"type":"record","name":"Event","fields":[]}\n'],
    longest: ofBody,
  },
  {
    name: 'name of a job history',
    read: parseHistoryFileName,
    pieces: ['-', 'job_1_1', '%2D', '%', 'a', '_'],
    backs: ['.jhist'],
    longest: kibi,
  },
  {
    name: 'query of /jmx',
    read: (text) => answerBeans(beans, text, undefined),
    pieces: ['*', '?', 'a', ':', ',', '=', 'Hadoop:service='],
    fronts: ['Hadoop:service=ResourceManager,name=', 'Hadoop:'],
    backs: ['!'],
    longest: ofHeader,
  },
  {
    name: 'attribute of /jmx',
    read: (text) => answerBeans(beans, undefined, text),
    pieces: ['::', ':', 'a', ',', '='],
    fronts: ['java.lang:type=Memory::'],
    longest: ofHeader,
  },
  {
    name: 'Accept',
    read: (text) => [negotiate(text, ['json', 'xml']), wantsEvents(text)],
    pieces: ['a/b', ',', ';', 'q=0.5', '*/*', ' ', '/', 'text/event-stream', '='],
    longest: ofHeader,
  },
  { name: 'Range', read: (text) => requestedRange(text, 1000), pieces: ['bytes=', '-', '1', ',', ' '], longest: ofHeader },
  { name: 'query', read: (text) => new Query(text).entries(), pieces: ['&', '=', '%', '%41', '+', 'a', ';', 'a=b&'], longest: ofHeader },
  { name: 'cookies', read: authenticationCookie, pieces: cookie, fronts: ['hadoop.auth="'], longest: ofHeader },
  { name: 'signed cookie', read: (text) => signer.verify(text, 0), pieces: cookie, longest: ofHeader },
  {
    name: "the proxy's signature",
    read: (text) => verifiedProxyUser(text, 'key', 'application_1_0001', 0),
    pieces: ['v1', '.', '0', 'YQ', 'A'.repeat(43), '-', '_'],
    fronts: ['v1.0.'],
    longest: ofHeader,
  },
  { name: 'Location', read: addressWithoutToken, pieces: ['?', '&', '#', 'delegation=', 'a', '%', '/'], longest: ofHeader },
  { name: 'Host', read: hostNameOf, pieces: ['a', '.', ':', '[', ']', '1', '::', '127.0.0.1', '%', '-'], longest: ofHeader },
  {
    name: "a master's cookie",
    read: (text) =>
      passedHeaders({ 'set-cookie': text }, { applicationId: 'application_1_0001', shownPath: (path) => path, sandboxed: true }),
    pieces: ['a=b', ';', ' ', 'Path=', '/', 'Domain', '=', 'hadoop.auth', '__Host-'],
    longest: ofHeader,
  },
  {
    name: 'headers for a master',
    read: (text) =>
      forwardedHeaders({
        headers: { cookie: text, 'x-forwarded-for': text },
        user: 'ann',
        remoteAddress: '127.0.0.1',
        scheme: 'http',
        host: 'h',
      }),
    pieces: cookie,
    longest: ofHeader,
  },
  { name: 'query for a master', read: withoutToken, pieces: ['&', '=', 'delegation', '%64', '%', 'a'], longest: ofHeader },
  { name: 'proxied application', read: proxiedApplicationId, pieces: id, longest: ofHeader },
  {
    name: 'partition file',
    read: (text) => sequenceKeys(Buffer.from(`SEQ\u0006\u0019org.apache.hadoop.io.Text\u0000${text}`, 'latin1')),
    pieces: ['\u0000', '\u0000'.repeat(6), '\u0000\u0000\u0000\u0001', '\u0010', '\u00ff'.repeat(4), 'abc'],
    longest: ofBody,
  },
  { name: 'delegation token', read: decodeToken, pieces: ['A', 'AAAA', '-', '_', '=', '/', 'gICA', '\u00ff'], longest: ofBody },
  {
    name: 'identifier of a token',
    read: (text) => decodeIdentifier(Buffer.from(text, 'latin1')),
    pieces: ['\u0000', '\u0001', '\u008f', '\u00ff', 'a'],
    longest: ofHeader,
  },
  {
    name: 'bearer token',
    read: (text) => bearerToken({ authorization: text }),
    pieces: ['Bearer', ' ', 'a', '\t', '='],
    fronts: ['Bearer '],
    longest: ofHeader,
  },
  {
    name: 'cron expression',
    // A schedule has 200 characters of it at most.
    read: (text) => new Occurrences(text.slice(0, 200), 'UTC').after(0),
    pieces: ['*', ' ', '* ', '/', '5', ',', '-', 'L', '#', '?', 'MON', 'FEB', '30', '@daily', 'W', '+'],
    fronts: ['0 0 30 2 ', '0 '],
    backs: [' * * * *'],
    longest: ofHeader,
  },
  {
    name: 'time zone',
    read: (text) => new Occurrences('0 0 * * *', text.slice(0, 64)),
    pieces: ['Europe/', 'Berlin', '+', '-', '00:00', 'UTC', '/', 'é'],
    longest: ofHeader,
  },
  {
    name: 'host of webhooks',
    read: (text) => unreadableTargets([text]),
    pieces: ['10.0.0.0', '/8', '/', 'a.', ':80', '[', '::1', ']'],
    longest: ofHeader,
  },
  {
    name: 'Origin',
    read: (text) => crossOrigin({ headers: { origin: text }, rawHeaders: ['Origin', text] } as never),
    pieces: ['http://', 'a', 'b', '.', '.example', ' ', ':80', 'null'],
    fronts: ['http://a', 'https://'],
    longest: ofHeader,
  },
  {
    name: 'User-Agent',
    read: (text) => crossSite({ method: 'POST', headers: { 'user-agent': text } }),
    pieces: ['Mozilla', ' ', 'Opera', '\t', '/'],
    longest: ofHeader,
  },
  { name: 'glob', read: (text) => matchesGlob(text, 'a'.repeat(200)), pieces: ['*', '?', 'a', 'b', '*a'], backs: ['!'], longest: ofHeader },
  {
    name: 'range of addresses',
    read: (text) => addressMatches(text, '10.0.0.0/8'),
    pieces: ['1', '.', ':', '::ffff:', '/', '10.'],
    longest: ofHeader,
  },
  { name: 'digest of an upload', read: digestOf, pieces: ['sha-256=:', ',', ' ', 'A', ':', '='], longest: ofHeader },
  ...[parseInfoFilter, parseConfigFilter, parseMetricFilter, parseEventFilter, parseRelationFilter].map(
    (read): TriedParser => ({
      name: read.name,
      read,
      pieces: filter,
      fronts: ['(', 'a eq ', 'a,'],
      backs: [')'],
      longest: ofHeader,
    }),
  ),
  { name: 'names to retrieve', read: parsePrefixes, pieces: ['!', '(', ')', ',', ' ', 'a'], longest: ofHeader },
  { name: 'UID of the timeline', read: splitParts, pieces: ['!', '*', '*!', '**', 'a'], longest: ofHeader },
  { name: 'filters of the timeline', read: pairsParameter, pieces: ['a', ':', ',', ' ', '"', '[', '9', '1.0'], longest: ofHeader },
  {
    name: 'fields of the timeline',
    read: (text) => fieldsParameter(text, (field) => new SyntaxError(field)),
    pieces: ['EVENTS', ',', ' ', 'a'],
    longest: ofHeader,
  },
  { name: 'list of the timeline', read: listParameter, pieces: ['a', ',', ' '], longest: ofHeader },
  {
    name: 'filter of applications',
    read: (text) => parseApplicationFilter(new Query(text), { queueOfFilter: () => ({ kind: 'none' }) as never }),
    pieces: ['states=', 'RUNNING', ',', '&', 'applicationTypes=', 'a', 'startedTimeBegin=', '9', 'queue='],
    longest: ofHeader,
  },
  {
    name: 'filter of jobs',
    read: (text) => readJobFilter(new Query(text)),
    pieces: ['user=', 'a', '&', 'limit=', '9', 'startedTimeBegin=', '+', 'state='],
    longest: ofHeader,
  },
  {
    name: 'placement constraint',
    read: parseConstraint,
    pieces: ['and(', 'or(', ')', ':', ',', ' ', 'a', '=', '!=', '!', 'in,node,a', 'cardinality,', 'all/', '\n', 'a=b:'],
    fronts: ['a', 'and('],
    backs: [')', '=b'],
    longest: ofHeader,
  },
  { name: 'access list', read: parseAccessList, pieces: ['a', ',', ' ', '*', '\n'], longest: ofBody },
  { name: 'node of labels', read: labelNodeId, pieces: ['a', ':', '0', ' ', '.'], longest: ofHeader },
  {
    name: 'capacity',
    read: (text) => parseCapacity(text, types),
    pieces: [...number, '[', ']', 'memory=', ',', '%', 'w', 'vcores=1,'],
    fronts: ['[memory='],
    backs: [']', 'w'],
    longest: ofBody,
  },
  {
    name: 'priority grants',
    read: parsePriorityGrants,
    pieces: ['[', ']', 'user=', ' ', 'a', '[user=a max_priority=1]', '='],
    longest: ofBody,
  },
  { name: 'time of expiry', read: parseExpiry, pieces: [...number, ':', 'T', '2026-11-22T', '+0000'], longest: ofBody },
  ...[parseApplicationId, parseAttemptId, parseContainerId, parseNodeId, parseJobId, parseTaskId, parseTaskAttemptId].map(
    (read): TriedParser => ({
      name: read.name,
      read,
      pieces: [...id, ':', '.'],
      fronts: ['application_1_', 'container_1_', 'job_1_', 'task_1_'],
      longest: ofBody,
    }),
  ),
  { name: 'amount', read: parseAmount, pieces: [...number, 'Mi', 'G'], longest: ofBody },
  { name: 'address', read: (text) => parseAddress(text), pieces: ['a', ':', '.', '[', ']', '1', ' ', '/'], longest: ofBody },
  { name: 'duration', read: (text) => parseDuration(text), pieces: [...number, 'ms', 's'], longest: ofBody },
  { name: 'bytes', read: parseBytes, pieces: [...number, 'k', 'b'], longest: ofBody },
  {
    name: 'health report',
    read: healthRemedies,
    pieces: [
      '1/1 local-dirs have errors: ',
      '[ ',
      ' ]',
      '/a',
      ' : ',
      ', ',
      'The state of the node cannot be written to ',
      '. Until it can, nothing new is started here.',
      '1',
      '/',
    ],
    longest: ofBody,
  },
  { name: 'variables', read: parseVariables, pieces: ['A=', ',', 'a', '_', '=', '\n', ' '], longest: ofBody },
  { name: 'container-executor.cfg', read: parseExecutorFile, pieces: ['a', '=', ' ', '#', '\n', '[', '\t'], longest: ofBody },
  {
    name: 'attributes that a script says',
    read: attributesOfOutput,
    refusesPlainly: true,
    pieces: ['NODE_ATTRIBUTE:', 'a', ',STRING,', ':', ',', '\n', ' '],
    longest: ofBody,
  },
  ...(['rawbytes', 'typedbytes'] as const).map(
    (form): TriedParser => ({
      name: `${form} that a command writes`,
      read(text) {
        const show = (record: Buffer, start: number) => form === 'typedbytes' && typedBytesText(record, start);
        const reader = streamReader(form, (key, keyStart, _keyEnd, value, valueStart) => [show(key, keyStart), show(value, valueStart)], {
          separator: bytes('\t'),
          keyFields: 1,
          longest: 4 * kibi,
          tooLong: () => new RecordTooLong('a record', 4 * kibi, 'MAP'),
        });
        for (let at = 0; at < text.length; at += 100) reader.push(Buffer.from(text.slice(at, at + 100), 'latin1'));
        reader.end();
      },
      pieces: [
        ...['\0\0\0\0\0', '\0\0\0\u0001a', '\u0001a', '\u0002\u0001', '\u0003abcd', '\u0005abcd', '\u0006abcdefgh', '\u0007\0\0\0\u0002ab'],
        ...['\b\0\0\0\u0001', '\b\0\0\0\0', '\t', '\n\0\0\0\u0001', '\xff', '\u0032\0\0\0\u0001x', '\u000b', '\0'],
      ],
      longest: ofBody,
    }),
  ),
  { name: 'labels that a script says', read: labelOfOutput, pieces: ['NODE_PARTITION:', 'a', ',', '\n', ' '], longest: ofBody },
];
