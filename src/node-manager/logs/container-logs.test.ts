import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listAggregatedLog, readAggregatedFiles, writeAggregatedLog } from '../../wire/files/aggregated-log.ts';
import { NodeFolders } from '../folders.ts';
import { listLogs, openLog } from './container-logs.ts';

const root = mkdtempSync(join(tmpdir(), 'container-logs-'));
after(() => rmSync(root, { recursive: true }));
const applicationId = 'application_1_0001';
const containerId = 'container_1_0001_01_000001';

function readlinkOrNothing(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

describe('logs of a container that has fewer rights than its node manager', () => {
  const logs = join(root, 'logs');
  const folder = join(logs, applicationId, containerId);
  const secrets = join(root, 'secrets');
  mkdirSync(folder, { recursive: true });
  mkdirSync(secrets);
  writeFileSync(join(folder, 'cluster'), 'a log');
  writeFileSync(join(secrets, 'cluster'), 'secret');
  // The root may be reached over a link: only its administrator can put one there.
  symlinkSync(logs, join(root, 'disk'));
  const folders = new NodeFolders([join(root, 'local')], [join(root, 'disk')], root, { isGuarded: true });

  it('are read where nothing stands in their place, and not those of elsewhere to which a link in the place of its folder leads', async () => {
    const [file] = await listLogs(folders, applicationId, containerId);
    assert.equal(file?.name, 'cluster');
    const log = await openLog(folders, applicationId, containerId, 'cluster');
    assert.equal((await Array.fromAsync(log.read(0, 100))).join(''), 'a log');
    await log.close();

    // Its folder goes between the two looks at it: nothing of it stays open.
    class GoingFolders extends NodeFolders {
      looks = 0;
      override realOf(path: string) {
        return ++this.looks === 1 ? super.realOf(path) : Promise.reject(new Error('gone'));
      }
    }
    const going = new GoingFolders([join(root, 'local')], [join(root, 'disk')], root, { isGuarded: true });
    await assert.rejects(openLog(going, applicationId, containerId, 'cluster'), { code: 'NODE_LOG_UNREADABLE' });
    const real = realpathSync(join(folder, 'cluster'));
    const open = readdirSync('/proc/self/fd').filter((fd) => readlinkOrNothing(`/proc/self/fd/${fd}`) === real);
    assert.deepEqual(open, []);

    renameSync(folder, `${folder}.moved`);
    symlinkSync(secrets, folder);
    assert.deepEqual(await listLogs(folders, applicationId, containerId), []);
    await assert.rejects(openLog(folders, applicationId, containerId, 'cluster'), { code: 'NODE_LOG_NOT_FOUND' });

    // It was looked at before the link came: what is gathered is what is found when it is opened.
    const gathered = join(root, 'gathered');
    const files = [{ name: file.name, path: file.path, below: file.below, size: 6 }];
    await writeAggregatedLog(gathered, { applicationOwner: 'ann', acls: {}, containers: [{ containerId, files }] });
    assert.equal((await listAggregatedLog(gathered)).containers.length, 1);
    for await (const { bytes } of readAggregatedFiles(gathered, containerId, () => true))
      assert.match((await Array.fromAsync(bytes)).join(''), /^Error aggregating log file\. Log file : cluster\. EPERM/);
    assert.doesNotMatch(readFileSync(gathered, 'latin1'), /secret/);
  });
});
