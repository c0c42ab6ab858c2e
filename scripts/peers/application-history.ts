// What Hadoop's timeline server tells of applications over RPC: its entities and the questions are those of the recording, which a test asks Heddle.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { asked, type RecordedAnswer, type RecordedEntities, recordingOf } from '../../test/support/application-history.ts';
import { freePorts } from '../../test/support/ports.ts';
import { answers } from '../conformance/daemons.ts';
import { hadoopJars, peerPlaces } from './applications.ts';

const startMs = 60_000;
const shownDifferences = 20;

/** Asks Hadoop and compares with what was recorded, or records anew with `--record`; 0 where it is the same. */
export async function runApplicationHistory(words: readonly string[]): Promise<number> {
  const records = words.includes('--record');
  const { peer, home } = peerPlaces(
    'application-history',
    words.filter((word) => word !== '--record'),
  );
  const lib = hadoopJars(peer);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const [web, rpc] = await freePorts(2);
  const settings = {
    'yarn.timeline-service.versions': '1.0f',
    'yarn.timeline-service.webapp.address': `127.0.0.1:${web}`,
    'yarn.timeline-service.address': `127.0.0.1:${rpc}`,
    'yarn.admin.acl': 'boss',
  };
  const env = { ...process.env, PEER_HOME: join(home, 'hadoop'), PEER_LIB: lib };
  const script = join(peer, 'peer.sh');
  const configured = spawnSync(script, ['configure', ...Object.entries(settings).map((pair) => pair.join('='))], { stdio: 'inherit', env });
  if (configured.status !== 0) throw new Error('Hadoop could not be configured.');
  const log = openSync(join(home, 'hadoop.log'), 'a');
  const server = spawn(script, ['java', 'org.apache.hadoop.yarn.server.applicationhistoryservice.ApplicationHistoryServer'], {
    stdio: ['ignore', log, log],
    env,
  });
  try {
    const url = `http://127.0.0.1:${web}`;
    if (!(await answers(`${url}/ws/v1/timeline`, startMs))) throw new Error(`${url} does not answer; its log is in ${home}`);
    const { entities, recorded } = recordingOf();
    await put(url, entities);
    const now: RecordedAnswer[] = [];
    for (const question of recorded) now.push(await asked(`127.0.0.1:${rpc}`, url, question));
    if (records) {
      writeFileSync(recordingOf.file, `${[entities, ...now].map((line) => JSON.stringify(line)).join('\n')}\n`);
      console.log(`${now.length} answers were written to ${recordingOf.file}.`);
      return 0;
    }
    return compare(recorded, now);
  } finally {
    server.kill();
  }
}

async function put(url: string, entities: RecordedEntities): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/ws/v1/timeline?user.name=rm`, { method: 'POST', headers, body: JSON.stringify(entities) });
  const text = await answer.text();
  if (!answer.ok || text.includes('errorcode')) throw new Error(`The entities were not taken: ${text}`);
}

function compare(recorded: readonly RecordedAnswer[], now: readonly RecordedAnswer[]): number {
  const different = now.filter((answer, index) => !isDeepStrictEqual(answer, recorded[index]));
  for (const answer of different.slice(0, shownDifferences)) console.log(JSON.stringify(answer));
  console.log(`${now.length} answers, ${different.length} other than recorded.`);
  return different.length === 0 ? 0 : 1;
}
