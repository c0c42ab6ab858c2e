// What nodes bring for one container lies where the next one takes it from: a job changes neither what all share nor what is another user's.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { folderOf, makeUser, otherUsersNeeded, startCluster, submit, type UnixUser } from './harness.ts';

const visibilities = ['PUBLIC', 'PRIVATE', 'APPLICATION'] as const;
const pristine = 'echo as it was brought\n';

describe('what was brought for a container', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let ann: UnixUser;
  let eve: UnixUser;
  let cluster: ClusterProcesses;
  let room: { readonly path: string };
  before(async () => {
    ann = made.use(makeUser('ann'));
    eve = made.use(makeUser('eve'));
    room = made.use(folderOf());
    chmodSync(room.path, 0o777);
    const settings = {
      'heddle.node-manager.switch-users': 'true',
      'yarn.nodemanager.linux-container-executor.nonsecure-mode.limit-users': 'false',
    };
    cluster = made.use(await startCluster({ settings }));
    for (const visibility of visibilities) writeFileSync(join(room.path, visibility), pristine, { mode: 0o755 });
  });
  after(() => made.disposeAsync());

  /** Runs a script that finds what was brought by the names of the visibilities; gives what it said. */
  async function said({ name }: UnixUser, what: string, script: string): Promise<string> {
    const [file, out] = [join(room.path, `${what}.sh`), join(room.path, what)];
    writeFileSync(file, `{\n${script}\n} >${out}.part 2>&1 </dev/null; mv ${out}.part ${out}; exec sleep 600\n`, { mode: 0o755 });
    const entry = visibilities.map((visibility) => {
      const source = join(room.path, visibility);
      const { size, mtimeMs } = statSync(source);
      return { key: visibility, value: { resource: `file://${source}`, type: 'FILE', visibility, size, timestamp: Math.floor(mtimeMs) } };
    });
    const context = { 'am-container-spec': { 'local-resources': { entry }, commands: { command: `bash ${file}` } } };
    const { status, body } = await submit(cluster.urls.resourceManager, '', { user: name, context });
    assert.equal(status, 202, body);
    await until(`the container ${what}`, async () => existsSync(out), 60_000);
    return readFileSync(out, 'utf8');
  }

  /** Where the links of a container lead to. */
  const whereBrought = visibilities.map((name) => `readlink -f ${name}`).join('\n');
  const pathsOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('/'));

  it('is neither changed, replaced nor taken away by a job of another user, by its own links, links to the files or their folders', async () => {
    const anns = pathsOf(await said(ann, 'first', whereBrought));
    assert.equal(anns.length, visibilities.length);
    const usual = anns.map((path) => ({ path, mode: statSync(path).mode, uid: statSync(path).uid }));
    assert.equal(usual[0]!.uid, 0, 'what all share is no user’s');
    // A second name for the same file, which eve may reach.
    using other = folderOf();
    const twin = join(other.path, 'twin');
    linkSync(anns[0]!, twin);
    const evil = 'echo evil';
    const attempts = [...anns, twin, 'PUBLIC'].flatMap((path) => [
      `chmod 777 ${path}`,
      `chmod -R 777 $(dirname $(readlink -f ${path}))`,
      `chown ${eve.name} ${path}`,
      `setfacl -m u:${eve.name}:rwx ${path}`,
      `sh -c '${evil} >${path}'`,
      `truncate -s 0 ${path}`,
      `touch ${path}`,
      `ln -f /bin/false $(readlink -f ${path})`,
      `ln -sfn /bin/false $(readlink -f ${path})`,
      `mv -f $(readlink -f ${path}) $(readlink -f ${path}).gone`,
      `rm -f $(readlink -f ${path})`,
      `mv $(dirname $(readlink -f ${path})) $(dirname $(readlink -f ${path})).gone`,
      `python3 -c 'import os; os.chmod(os.path.realpath("${path}"), 0o777)'`,
    ]);
    const tried = attempts.map((attempt) => `${attempt} 2>/dev/null && echo '${attempt.replaceAll("'", '"')}: done'`).join('\n');
    const cache = `${cluster.dataDir}/node-manager/local`;
    const made = `for folder in ${cache} ${cache}/filecache ${cache}/usercache ${cache}/usercache/${ann.name} ${cache}/usercache/${ann.name}/filecache ${cache}/usercache/${ann.name}/appcache; do (umask 0; : >$folder/evil) 2>/dev/null && echo made $folder/evil; done`;
    const own = `chmod 777 PRIVATE APPLICATION && ${evil} >PRIVATE && echo own`;
    const out = await said(eve, 'attempts', `${whereBrought}\n${tried}\n${made}\n${own}\nmv PUBLIC PUBLIC.own && echo renamed`);
    const [eves, rest] = [pathsOf(out), out.split('\n').filter((line) => !line.startsWith('/') && line !== '')];
    // It can change what was brought for its own user alone, and the links in its own folder: the attempts are right.
    assert.deepEqual(rest, ['own', 'renamed']);
    assert.equal(eves[0], anns[0], 'both have the one that all share');
    assert.ok(!eves.slice(1).some((path) => anns.includes(path)));
    for (const { path, mode, uid } of usual) {
      const now = statSync(path);
      assert.deepEqual([readFileSync(path, 'utf8'), now.mode, now.uid], [pristine, mode, uid], path);
      assert.equal(now.mode & 0o022, 0, path);
    }
    assert.deepEqual(
      readdirSync(cache, { recursive: true }).filter((name) => String(name).includes('evil')),
      [],
    );
    const again = await said(ann, 'again', `${whereBrought}\n${visibilities.map((name) => `cat ${name}`).join('\n')}`);
    assert.deepEqual(
      again.split('\n').filter((line) => !line.startsWith('/')),
      [...visibilities.map(() => pristine.trim()), ''],
    );
    assert.deepEqual(pathsOf(again).slice(0, 2), anns.slice(0, 2), 'they are taken from where they lay');
  });
});
