// A container that runs as the very user who started the cluster, and looks for what that user could read.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { broughtTo, folderOf, makeUser, mallory, otherUsersNeeded, runAs, send, startCluster, submit, type UnixUser } from './harness.ts';

/** Runs a script in a container, which `user` (default: root) submits, and gives what it said. */
async function saidBy(
  cluster: ClusterProcesses,
  room: { readonly path: string },
  name: string,
  script: string,
  user?: UnixUser,
): Promise<string> {
  const file = join(room.path, `${name}.sh`);
  const out = join(room.path, name);
  writeFileSync(file, `{\n${script}\n} >${out}.part 2>/dev/null </dev/null; mv ${out}.part ${out}\n`, { mode: 0o755 });
  const by = user ? { as: user, user: user.name } : { user: 'root' };
  const { status, body } = await submit(cluster.urls.resourceManager, `bash ${file}`, by);
  assert.equal(status, 202, body);
  await until(`the container ${name}`, async () => (await runAs(undefined, ['test', '-e', out])).code === 0, 30_000);
  return readFileSync(out, 'utf8');
}

describe("a container that runs as the cluster's own user", { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let owner: UnixUser;
  let cluster: ClusterProcesses;
  let room: { readonly path: string };
  before(async () => {
    owner = made.use(makeUser('owner'));
    room = made.use(folderOf(owner));
    cluster = made.use(await startCluster({ as: owner, settings: { 'heddle.node-manager.conceal-secrets': 'required' } }));
  });
  after(() => made.disposeAsync());

  const said = (name: string, script: string) => saidBy(cluster, room, name, script, owner);

  it('reads neither secrets nor stores, nor takes their cover away', async () => {
    const { dataDir } = cluster;
    const paths = ['secrets/cluster', 'secrets/http-cookie', 'resource-manager/state.sqlite', 'node-manager/recovery/node.sqlite'];
    const read = paths.map((path) => `head -c 16 ${dataDir}/${path} | base64`).join('\n');
    const covers = ['secrets', 'resource-manager', 'node-manager/recovery/node.sqlite']
      .map((path) => `umount ${dataDir}/${path}`)
      .join('; ');
    const script = `echo in; id -u\n${read}\n${covers}\n${read}\nunshare --user --map-root-user --mount sh -c '${covers}\n${read.replaceAll('\n', '; ')}'`;
    assert.equal(await said('secrets', script), `in\n${owner.uid}\n`);
    for (const path of paths)
      assert.notEqual((await runAs(owner, ['head', '-c', '16', join(dataDir, path)])).stdout, '', `${path} is there for who is outside`);
  });

  it('reads neither memory, environment nor files of the servers', async () => {
    const pid = cluster.pids.get('up');
    assert.notEqual((await runAs(owner, ['cat', `/proc/${pid}/environ`])).stdout, '', 'the user outside can');
    const script = `echo in; cat /proc/${pid}/environ; head -c 1 /proc/${pid}/mem; for file in /proc/${pid}/fd/*; do readlink $file; timeout 1 head -c 1 $file; done; ls /proc/${pid}/root/; ls -d /proc/${pid}/cwd/`;
    assert.equal(await said('memory', script), 'in\n');
  });

  it('is brought by its node nothing that it cannot read itself', async () => {
    const brought = (path: string) => broughtTo(cluster.urls.resourceManager, `file://${path}`, { as: owner, user: owner.name });
    writeFileSync(join(room.path, 'own'), 'its own\n');
    assert.equal(await brought(join(room.path, 'own')), 'brought: its own\n');
    for (const path of ['secrets/cluster', 'resource-manager/state.sqlite', 'node-manager/recovery/node.sqlite'])
      assert.match(await brought(join(cluster.dataDir, path)), /does not exist|Permission denied|is neither a file nor a folder/, path);
  });

  it('gains no rights by setuid programs', async () => {
    assert.match(await said('rights', 'grep -E "NoNewPrivs|CapEff" /proc/self/status'), /CapEff:\s+0+\nNoNewPrivs:\s+1/);
  });
});

describe('a container of a cluster that root started', { skip: otherUsersNeeded }, () => {
  const secrets = ['secrets/cluster', 'secrets/http-cookie', 'resource-manager/state.sqlite', 'timeline/timeline.sqlite'];
  const hidden = readdirSync(userInfo().homedir).filter((name) => /^\.(?:profile|bashrc)$/.test(name));
  /** What it reads of secrets and stores, of the servers, and of another user; where it writes; whether it mounts. */
  const script = ({ dataDir, pids }: ClusterProcesses, others: string): string =>
    [
      'echo in; id -u; grep CapEff /proc/self/status',
      ...[...secrets, 'node-manager/recovery/node.sqlite'].map((path) => `head -c 16 ${dataDir}/${path} | base64`),
      `cat /proc/${pids.get('up')}/environ | head -c 16 | base64`,
      `cat ${others}`,
      ...['/etc', '/usr', '/opt', '/var/spool', `${dataDir}/../conf`].map(
        (folder) => `echo x >${folder}/heddle-$$ && rm ${folder}/heddle-$$ && echo wrote ${folder}`,
      ),
      ...hidden.map((name) => `: >>${join(userInfo().homedir, name)} && echo opened ${name}`),
      `mount -t tmpfs tmpfs ${dataDir}/node-manager && umount ${dataDir}/node-manager && echo mounted`,
    ].join('\n');

  it('is not root but by number: reads no secret, writes nothing of the system, mounts nothing', async () => {
    using room = folderOf();
    const others = join(room.path, 'others');
    writeFileSync(others, 'theirs\n', { mode: 0o600 });
    chownSync(others, mallory.uid, mallory.gid);
    await using cluster = await startCluster();
    assert.equal(await saidBy(cluster, room, 'confined', script(cluster, others)), 'in\n0\nCapEff:\t0000000000000000\n');
    // Nor does its node bring it what it cannot read itself.
    const brought = (path: string) => broughtTo(cluster.urls.resourceManager, `file://${path}`, { user: 'root' });
    const own = join(room.path, 'own');
    writeFileSync(own, 'its own\n', { mode: 0o600 });
    assert.equal(await brought(own), 'brought: its own\n');
    const root = `/proc/${cluster.pids.get('up')}/root`;
    for (const path of [...secrets.flatMap((name) => ['', root].map((above) => above + join(cluster.dataDir, name))), others])
      assert.match(await brought(path), /does not exist|Permission denied|is neither a file nor a folder/, path);
  });

  it('has its node write nothing outside of its folders, by links where the node will write for the next container', async () => {
    using room = folderOf();
    await using cluster = await startCluster();
    // The system's own folders are closed to it; the node manager could write there.
    const target = mkdtempSync('/etc/heddle-attack-');
    try {
      const file = join(room.path, 'links.sh');
      const lines = [
        'next=$(echo $CONTAINER_ID | sed "s/_01_000001$/_02_000001/")',
        `ln -s ${target} $PWD/../$next; ln -s ${target} \${LOG_DIRS%%,*}/../$next`,
        `rm -f launch_container.sh; ln -s ${target}/script launch_container.sh; ln -sf ${target}/info \${LOG_DIRS%%,*}/directory.info`,
        `mv ${cluster.dataDir}/node-manager/local ${cluster.dataDir}/node-manager/moved && echo moved >${room.path}/moved`,
        `: >${cluster.dataDir}/cluster.json && echo wrote >${room.path}/wrote`,
        `echo $next >>${room.path}/ran; exit 1`,
      ];
      writeFileSync(file, lines.join('\n'), { mode: 0o755 });
      const { id } = await submit(cluster.urls.resourceManager, `bash ${file}`, { user: 'root', context: { 'max-app-attempts': 2 } });
      await until('the end of both attempts', async () => {
        const { body } = await send(`${cluster.urls.resourceManager}/ws/v1/cluster/apps/${id}?user.name=root`);
        return /"FAILED"/.test(body);
      });
      assert.match(readFileSync(join(room.path, 'ran'), 'utf8'), /_02_000001\n/);
      assert.deepEqual(readdirSync(target), []);
      assert.deepEqual(readdirSync(room.path).sort(), ['links.sh', 'ran']);
    } finally {
      rmSync(target, { recursive: true });
    }
  });

  it('has its node neither bring files to elsewhere nor show those of elsewhere as logs, by links in their places', async () => {
    using room = folderOf();
    await using cluster = await startCluster({ settings: { 'yarn.log-aggregation-enable': 'true' } });
    const { resourceManager, nodeManager, history } = cluster.urls;
    const target = mkdtempSync('/etc/heddle-attack-');
    try {
      const file = join(room.path, 'links.sh');
      const cache = join(cluster.dataDir, 'node-manager/local/usercache/root/filecache');
      const lines = [
        // Of what its node brings next, the folder; of its own logs, too.
        `rm -rf ${cache}; ln -s ${target} ${cache}`,
        `log=\${LOG_DIRS%%,*}; mv $log $log.moved; ln -s ${cluster.dataDir}/secrets $log`,
        `echo $CONTAINER_ID >${room.path}/ran; while ! [ -e ${room.path}/end ]; do sleep 0.1; done; exit 1`,
      ];
      writeFileSync(file, lines.join('\n'), { mode: 0o755 });
      const { id } = await submit(resourceManager, `bash ${file}`, { user: 'root' });
      await until('the links', async () => readdirSync(room.path).includes('ran'), 30_000);
      const container = readFileSync(join(room.path, 'ran'), 'utf8').trim();
      const secret = readFileSync(join(cluster.dataDir, 'secrets/cluster'), 'utf8').trim();
      const hiddenIn = async (url: string) => {
        const { body } = await send(url);
        assert.doesNotMatch(body, /"cluster"|http-cookie/, url);
        assert.ok(!body.includes(secret), url);
      };
      const logs = [
        `${nodeManager}/ws/v1/node/containers/${container}/logs`,
        `${nodeManager}/ws/v1/node/containerlogs/${container}/cluster`,
      ];
      for (const url of logs) await hiddenIn(`${url}?user.name=root`);
      // Another application has its files brought; whether that works is no matter here.
      const own = join(room.path, 'own');
      writeFileSync(own, 'its own\n');
      await broughtTo(resourceManager, `file://${own}`, { user: 'root' });
      assert.deepEqual(readdirSync(target), []);
      writeFileSync(join(room.path, 'end'), '');
      await until('its end', async () => /"FAILED"/.test((await send(`${resourceManager}/ws/v1/cluster/apps/${id}?user.name=root`)).body));
      for (const url of [
        ...logs,
        `${history}/ws/v1/history/containers/${container}/logs`,
        `${history}/ws/v1/history/containerlogs/${container}/cluster`,
      ])
        await hiddenIn(`${url}?user.name=root`);
    } finally {
      rmSync(target, { recursive: true });
    }
  });

  it('shows nothing of elsewhere as its logs by links that come and go while they are read', async () => {
    using room = folderOf();
    using owner = makeUser('racer');
    await using cluster = await startCluster({
      settings: {
        'heddle.node-manager.switch-users': 'true',
        'yarn.nodemanager.linux-container-executor.nonsecure-mode.local-user': owner.name,
      },
    });
    const { resourceManager, nodeManager } = cluster.urls;
    // Of root alone: the node could read it, the container cannot.
    const [secret, file] = [join(room.path, 'secret'), join(room.path, 'race.js')];
    mkdirSync(secret);
    writeFileSync(join(secret, 'log'), 'of elsewhere', { mode: 0o600 });
    const program = `
      const { mkdirSync, renameSync, symlinkSync, writeFileSync } = require('node:fs');
      process.chdir(process.env.LOG_DIRS.split(',')[0]);
      mkdirSync('real');
      writeFileSync('real/log', 'mine');
      writeFileSync('begun', 'mine');
      for (;;) {
        symlinkSync('${secret}/log', 'link');
        renameSync('link', 'file');
        symlinkSync('${secret}', 'sub');
        writeFileSync('new', 'mine');
        renameSync('new', 'file');
        renameSync('sub', 'gone');
        renameSync('real', 'sub');
        renameSync('sub', 'real');
      }`;
    writeFileSync(file, program);
    const { id } = await submit(resourceManager, `exec ${process.execPath} ${file}`, { user: 'root' });
    const container = `container_${id.slice('application_'.length)}_01_000001`;
    const read = async (log: string) =>
      (await fetch(`${nodeManager}/ws/v1/node/containers/${container}/logs/${log}?user.name=root`)).text();
    await until('its own log', async () => (await read('begun')).includes('mine'), 30_000);
    let own = 0;
    for (let round = 0; round < 200; round++) {
      const texts = await Promise.all(['file', 'sub%2Flog', 'real%2Flog', 'file', 'sub%2Flog', 'file', 'sub%2Flog', 'file'].map(read));
      assert.ok(!texts.some((text) => text.includes('of elsewhere')), `in round ${round}`);
      own += texts.filter((text) => text.includes('mine')).length;
    }
    assert.ok(own >= 50, `${own} reads found a log of its own`);
  });

  it('leaves no code for the next start of its cluster: neither compiled, nor in place of a program', async () => {
    using room = folderOf();
    const bin = join(userInfo().homedir, `attacked-bin-${process.pid}`);
    mkdirSync(bin);
    const cache = join(tmpdir(), 'heddle-compiled-0');
    try {
      await using cluster = await startProcesses({
        mode: 'up',
        settings: {},
        within: (home) => {
          chmodSync(home, 0o755);
          return ['env', '-u', 'NODE_COMPILE_CACHE', `PATH=${bin}:${process.env['PATH']}`];
        },
      });
      const lines = [
        `for path in ${bin}/id ${cache}/planted $(ls -d ${cache}/*/ | head -1)planted; do echo x >$path && { echo wrote $path; rm $path; }; done`,
        'echo tried',
      ];
      assert.equal(await saidBy(cluster, room, 'planted', lines.join('\n')), 'tried\n');
      assert.ok(existsSync(cache), 'it is somewhere else by now');
    } finally {
      rmSync(bin, { recursive: true });
    }
  });

  it('is root where a setting asks for it', async () => {
    using room = folderOf();
    const others = join(room.path, 'others');
    writeFileSync(others, 'theirs\n', { mode: 0o600 });
    chownSync(others, mallory.uid, mallory.gid);
    await using cluster = await startCluster({ settings: { 'heddle.node-manager.root-containers': 'root' } });
    assert.match(cluster.output('up'), /WARNING: this is root, and containers run as root, as \S+=root asks/);
    const said = await saidBy(cluster, room, 'root', script(cluster, others));
    assert.match(said, /^U1FMaXRlIGZvcm1hdCAzAA==$/m);
    assert.match(said, /^theirs\nwrote \/etc\nwrote \/usr\nwrote \/opt\nwrote \/var\/spool\nwrote .*\n(?:opened .*\n)*mounted\n$/m);
    for (const name of hidden) assert.ok(said.includes(`opened ${name}\n`), name);
  });
});
