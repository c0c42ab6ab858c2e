// Whole jobs under their master: staged, run, published, ended. The resource manager and the node are of test-support, everything else is real.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { MasterClient } from '../../client/master-client.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { readHistory } from '../../wire/files/job-history.ts';
import { runMaster } from '../application-master/master.ts';
import { jobSettings, type ProgramRequest } from '../submission/programs.ts';
import { prepareJob } from '../submission/submission.ts';
import { applicationId } from './a-job.ts';
import { managerToken, startManager } from './a-manager.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-master-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;
const usualFiles = { 'a.txt': 'the quick brown fox\njumps over the lazy dog\n', 'b.txt': 'the end\n' };

export interface Prepared {
  readonly home: string;
  readonly staging: string;
  readonly output: string | undefined;
  readonly published: string;
}

/** Stages a job of a user's; its input is two small files, or the given ones. */
export function prepare(
  request: Partial<ProgramRequest> & Pick<ProgramRequest, 'program'>,
  own: Record<string, string> = {},
  files: Readonly<Record<string, string>> = usualFiles,
): Prepared {
  const home = join(scratch, String(++serial));
  mkdirSync(join(home, 'in'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, 'in', name), text);
  const settings = jobSettings(
    { input: 'in', output: 'out', ...request } as ProgramRequest,
    [
      { name: 'yarn.app.mapreduce.am.staging-dir', value: join(home, 'staging'), source: 'mapred-site.xml' },
      { name: 'mapreduce.jobhistory.intermediate-done-dir', value: join(home, 'done'), source: 'mapred-site.xml' },
    ],
    Object.entries(own).map(([name, value]) => ({ name, value, source: 'from command line' })),
  );
  const { folder, output } = prepareJob({ applicationId, user: 'ann', settings, workingFolder: home });
  return { home, staging: folder, output, published: join(home, 'done', 'ann') };
}

/** Runs the job under one master; answers what the manager saw. */
export async function run({ home, staging }: Prepared, generation = 1, timeline: { v1?: string; v2?: string } = {}) {
  const local = join(home, 'local');
  mkdirSync(local, { recursive: true });
  await using manager = await startManager(local);
  const attemptId = `appattempt_1700000000000_0001_00000${generation}`;
  await runMaster({
    environment: {
      applicationId,
      attemptId,
      generation,
      containerId: `container_1700000000000_0001_0${generation}_000001`,
      host: '127.0.0.1',
      nodeId: '127.0.0.1:45454',
      nodeHttpAddress: '127.0.0.1:8042',
      submitTimeMs: 1_700_000_000_000,
      user: 'ann',
      localFolder: local,
      timelineUrl: timeline.v1,
      timelineCollectorUrl: timeline.v2,
      proxyUrl: undefined,
      nodeScheme: 'http',
    },
    stagingFolder: staging,
    client: new MasterClient({ resourceManager: manager.url, attemptId, token: managerToken }),
    clock: systemClock,
    logger: silentLogger,
  });
  return manager;
}

/** Lines of all output files, in the order of the files. */
export const linesOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith('part-'))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1));
/** The events of the published history. */
export async function publishedHistory({ published }: Prepared) {
  const files = readdirSync(published);
  const history = files.find((name) => name.endsWith('.jhist'));
  assert.ok(history !== undefined, `among ${files.join(', ')}`);
  return readHistory(join(published, history));
}
