import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { openControlGroups } from '../control-groups/control-groups.ts';
import { findHierarchies, makeBase } from '../control-groups/hierarchies.ts';
import { engineConformance } from '../engine.conformance.ts';
import type { ContainerEngine, EngineOrder } from '../engine.ts';
import { shellConformance } from '../shell.conformance.ts';
import { createOciEngine, type OciEngineOptions } from './oci-engine.ts';
import { seccompProfile } from './seccomp.ts';
import { makeLayout, makeRootFileSystem, whyNoRuntime } from './test-image.ts';

const reason = whyNoRuntime();
const root = realpathSync(mkdtempSync(join(tmpdir(), 'oci-')));
const images = join(root, 'images');
const hierarchy = `/heddle-test-${process.pid}`;
const base = makeBase(findHierarchies(), hierarchy, ['memory', 'pids']);
const withGroups = base.missing.size === 0;
for (const path of new Set([base.unified, ...[...base.folders.values()].map((folder) => folder.path)])) if (path) rmdirSync(path);
after(() => {
  for (const path of new Set([base.unified, ...[...base.folders.values()].map((folder) => folder.path)]))
    if (path) assert.equal(existsSync(path), false, `${path} is left`);
  rmSync(root, { recursive: true, force: true });
});

const rules = {
  defaultImage: undefined,
  networks: ['host', 'none'],
  defaultNetwork: 'host',
  defaultReadOnlyMounts: [`${join(root, 'resource')}:/etc/cluster-words`],
  defaultReadWriteMounts: [],
  readOnlyMounts: [join(root, 'shared')],
  readWriteMounts: [],
};
const options = (folder: string): OciEngineOptions => ({
  folder,
  clock: systemClock,
  logger: silentLogger,
  runtime: ['runc'],
  images,
  rules,
  readOnlyRoot: false,
  capabilities: [],
  ...(withGroups && {
    controlGroups: openControlGroups({
      hierarchy: `${hierarchy}-${basename(folder)}`,
      section: 'images',
      memory: { enforced: true, swappiness: 0, softLimitPercentage: 90 },
      maximumProcesses: 60,
      deleteTimeoutMs: 60_000,
      clock: systemClock,
      logger: silentLogger,
    })!,
  }),
});
const image = (name: string, more: Record<string, string> = {}) => ({
  YARN_CONTAINER_RUNTIME_TYPE: 'runc',
  YARN_CONTAINER_RUNTIME_RUNC_IMAGE: name,
  ...Object.fromEntries(Object.entries(more).map(([key, value]) => [`YARN_CONTAINER_RUNTIME_RUNC_${key}`, value])),
});

writeFileSync(join(root, 'resource'), 'resource\n');

if (reason) test('oci engine', { skip: reason }, () => undefined);
else {
  makeRootFileSystem(join(images, 'plain'));
  engineConformance('oci', (folder) => createOciEngine(options(folder)), { runtime: image('plain') });
  shellConformance('oci', (folder) => createOciEngine(options(folder)), { runtime: image('plain') });
}

suite('oci engine', { skip: reason ?? false }, () => {
  let engine: ContainerEngine;
  let count = 500;
  before(() => {
    const second = join(root, 'second');
    for (const folder of ['bin', 'opt']) mkdirSync(join(second, folder), { recursive: true });
    writeFileSync(join(second, 'bin', '.wh.nohup'), '');
    writeFileSync(join(second, 'opt', 'greeting'), 'from the second layer\n');
    makeLayout(join(images, 'team', 'layered'), [join(images, 'plain'), second], '1.0', ['FROM_IMAGE=yes']);
    mkdirSync(join(images, 'without-shell', 'rootfs'), { recursive: true });
    symlinkSync('/', join(images, 'outside'));
    mkdirSync(join(root, 'shared'));
    writeFileSync(join(root, 'shared', 'data'), 'shared\n');
    engine = createOciEngine(options(join(root, 'state')));
  });
  after(() => engine.close());
  const order = (script: string, more: Partial<EngineOrder> = {}): EngineOrder => {
    const containerId = `container_1_0001_01_${String(++count).padStart(6, '0')}`;
    const workFolder = join(root, containerId);
    mkdirSync(workFolder);
    writeFileSync(join(workFolder, 'launch.sh'), script);
    const limits = { memoryMiB: 64, vcores: 1 };
    return {
      containerId,
      user: 'u',
      script: join(workFolder, 'launch.sh'),
      workFolder,
      environment: {},
      limits,
      runtime: image('plain'),
      ...more,
    };
  };
  const nothingLeft = (containerId: string) => {
    assert.equal(existsSync(join(root, 'state', 'bundles', containerId)), false);
    assert.equal(existsSync(join(root, 'state', 'state', containerId)), false);
    assert.doesNotMatch(readFileSync('/proc/self/mounts', 'utf8'), new RegExp(`${root}.*${containerId}`));
    for (const { path } of base.folders.values()) assert.equal(existsSync(join(`${path}-state`, 'images', containerId)), false);
    engine.forget(containerId);
    assert.equal(engine.rememberedContainers().includes(containerId), false);
  };
  const outcome = async (ordered: EngineOrder): Promise<{ code: number; text: string; outOfMemory?: boolean }> => {
    await engine.start(ordered);
    const { exitCode, outOfMemory } = await engine.wait(ordered.containerId);
    nothingLeft(ordered.containerId);
    const file = join(ordered.workFolder, 'out');
    return { code: exitCode, text: existsSync(file) ? readFileSync(file, 'utf8') : '', ...(outOfMemory && { outOfMemory }) };
  };

  test('sees the image and its own folders only, without rights, and leaves the image as it was', async () => {
    const script = `exec > out; ls /; echo $$; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status; touch /in-image && echo written
      [ -e ${join(root, 'shared')} ] || echo hidden; kill -0 $PPID; ls /dev`;
    const { code, text } = await outcome(order(script));
    assert.equal(code, 0);
    assert.match(text, /CapBnd:\t0+\nCapEff:\t0+|CapEff:\t0+\nCapBnd:\t0+/);
    assert.match(text, /NoNewPrivs:\t1/);
    assert.match(text, /written\nhidden\n/);
    assert.doesNotMatch(text, /sda|vda|kmsg|mem\n/);
    assert.equal(existsSync(join(images, 'plain', 'in-image')), false);
  });

  test('an OCI layout: layers, whiteouts, variables, chosen by its tag', async () => {
    for (const type of ['RUNC', 'DOCKER']) {
      const runtime = { YARN_CONTAINER_RUNTIME_TYPE: type.toLowerCase(), [`YARN_CONTAINER_RUNTIME_${type}_IMAGE`]: 'team/layered:1.0' };
      const { text } = await outcome(order('exec > out; cat /opt/greeting; ls /bin/nohup || echo gone; echo $FROM_IMAGE', { runtime }));
      assert.equal(text, 'from the second layer\ngone\nyes\n');
    }
    await assert.rejects(engine.start(order('', { runtime: image('team/layered:2.0') })), /the image holds no '2\.0'/);
    assert.equal(readdirSync(join(root, 'state', 'images')).length, 1);
  });

  test('runs as another user, in another network, under another name', async () => {
    const identity = { name: 'nobody', userId: 65_534, groupId: 65_534 };
    const ordered = order('(id -u; id -g; hostname; ls /sys/class/net) > out', {
      identity,
      runtime: image('plain', { CONTAINER_NETWORK: 'none', CONTAINER_HOSTNAME: 'worker-1' }),
    });
    execFileSync('chown', ['-R', '65534:65534', ordered.workFolder]);
    assert.equal((await outcome(ordered)).text, '65534\n65534\nworker-1\nlo\n');
  });

  test('mounts what is allowed and local resources, for reading only', async () => {
    const resource = join(root, 'resource');
    const ordered = order(
      '(cat /data/data /res /etc/cluster-words; echo x > /data/new || echo refused; touch /scratch/x && echo scratch) > out 2> err',
      {
        resources: { words: resource },
        runtime: image('plain', { MOUNTS: `${join(root, 'shared')}:/data:ro,words:/res:ro`, TMPFS_MOUNTS: '/scratch' }),
      },
    );
    assert.equal((await outcome(ordered)).text, 'shared\nresource\nresource\nrefused\nscratch\n');
  });

  const refused: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['a missing image', image('absent'), /there is no image 'absent' on this node/],
    ['no image', { YARN_CONTAINER_RUNTIME_TYPE: 'docker' }, /YARN_CONTAINER_RUNTIME_DOCKER_IMAGE not set!/],
    ['a name that climbs', image('../../etc'), /is not the name of an image/],
    ['a name from the root', image('/etc'), /is not the name of an image/],
    ['a link that leads out', image('outside/etc'), /leads out of the folder of images/],
    ['an image without a shell', image('without-shell'), /could not start .*(no such file|not found)/i],
    ['a privileged container', image('plain', { RUN_PRIVILEGED_CONTAINER: 'true' }), /Privileged containers are not allowed/],
    ['the start command of the image', image('plain', { RUN_OVERRIDE_DISABLE: 'true' }), /RUN_OVERRIDE_DISABLE/],
    ['another network', image('plain', { CONTAINER_NETWORK: 'bridge2' }), /Disallowed network/],
    ['a folder of the machine', image('plain', { MOUNTS: '/etc:/mnt:ro' }), /Disallowed mount '\/etc'/],
    ['a link out of an allowed folder', image('plain', { MOUNTS: `${join(root, 'shared', '..')}:/mnt:ro` }), /Disallowed mount/],
    [
      'writing where only reading is allowed',
      image('plain', { MOUNTS: `${join(root, 'shared')}:/mnt` }),
      /Disallowed mount .* for writing/,
    ],
    ['a target that climbs', image('plain', { MOUNTS: `${join(root, 'shared')}:/a/../../b:ro` }), /must be an absolute path/],
    ['words that are no mount', image('plain', { MOUNTS: 'nonsense' }), /Unable to parse the mount/],
    ['a wrong host name', image('plain', { CONTAINER_HOSTNAME: 'a b' }), /Invalid hostname/],
  ];
  for (const [title, runtime, words] of refused)
    test(`refuses ${title} and leaves nothing`, async () => {
      const ordered = order('true', { runtime });
      await assert.rejects(engine.start(ordered), words);
      nothingLeft(ordered.containerId);
    });

  test('a layer that is not what its digest says is refused', async () => {
    makeLayout(join(images, 'forged'), [join(root, 'second')], 'latest', []);
    const blobs = join(images, 'forged', 'blobs', 'sha256');
    for (const name of readdirSync(blobs)) if (readFileSync(join(blobs, name))[0] === 0x1f) writeFileSync(join(blobs, name), 'forged');
    const ordered = order('true', { runtime: image('forged') });
    await assert.rejects(engine.start(ordered), /is not what its digest/);
    nothingLeft(ordered.containerId);
  });

  test('memory and processes are limited', { skip: withGroups ? false : 'control groups cannot be used here' }, async () => {
    assert.deepEqual(await outcome(order('x=0123456789abcdef; while :; do x=$x$x; done')), { code: 137, text: '', outOfMemory: true });
    const bomb = order('bomb() { bomb | bomb & }; bomb 2> /dev/null; sleep 600');
    await engine.start(bomb);
    const members = async () => (await engine.usage()).get(bomb.containerId)?.processes.length ?? 0;
    while ((await members()) < 30);
    assert.ok((await members()) <= 60);
    engine.signal(bomb.containerId, 'SIGKILL');
    assert.equal((await engine.wait(bomb.containerId)).exitCode, 137);
    nothingLeft(bomb.containerId);
  });

  test('where nothing can be laid over the image, it is copied', async () => {
    const stacked = join(root, 'stacked');
    for (const name of ['lower', 'upper', 'work', 'merged']) mkdirSync(join(stacked, name), { recursive: true });
    const layers = `lowerdir=${join(stacked, 'lower')},upperdir=${join(stacked, 'upper')},workdir=${join(stacked, 'work')}`;
    execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, join(stacked, 'merged')]);
    try {
      const other = createOciEngine(options(join(stacked, 'merged', 'state')));
      const ordered = order('(touch /in-image && echo written) > out');
      await other.start(ordered);
      await other.wait(ordered.containerId);
      assert.equal(readFileSync(join(ordered.workFolder, 'out'), 'utf8'), 'written\n');
      assert.equal(existsSync(join(images, 'plain', 'in-image')), false);
      assert.deepEqual(readdirSync(join(stacked, 'merged', 'state', 'bundles')), []);
      await other.close();
    } finally {
      execFileSync('umount', [join(stacked, 'merged')]);
    }
  });

  test('a runtime that fails leaves nothing', async () => {
    const failing = createOciEngine({ ...options(join(root, 'failing')), runtime: ['false'] });
    const ordered = order('true');
    await assert.rejects(failing.start(ordered), /the OCI runtime could not start .* it gives no reason/);
    failing.forget(ordered.containerId);
    assert.deepEqual(failing.rememberedContainers(), []);
    assert.doesNotMatch(readFileSync('/proc/self/mounts', 'utf8'), new RegExp(`${root}.*${ordered.containerId}`));
    await failing.close();
  });

  test('system calls are filtered: no user namespace, in which capabilities would grow anew', async () => {
    const said: Record<string, string> = {};
    for (const [name, seccomp] of [
      ['open', undefined],
      ['filtered', seccompProfile([])],
    ] as const) {
      const other = createOciEngine({ ...options(join(root, name)), seccomp });
      const ordered = order(
        'for i in status; do while read -r key value; do [[ $key == Seccomp: ]] && echo "$value"; done < /proc/self/$i; done > out; ./unshare -U /bin/bash -c "echo inside" >> out 2> err',
      );
      copyFileSync('/usr/bin/unshare', join(ordered.workFolder, 'unshare'));
      await other.start(ordered);
      await other.wait(ordered.containerId);
      said[name] = readFileSync(join(ordered.workFolder, 'out'), 'utf8');
      await other.close();
    }
    assert.deepEqual(said, { open: '0\ninside\n', filtered: '2\n' });
  });

  test('a root file system that is read only', async () => {
    const strict = createOciEngine({ ...options(join(root, 'strict')), readOnlyRoot: true });
    const ordered = order('(touch /x || echo refused; touch here && echo fine) > out 2> /dev/null');
    await strict.start(ordered);
    await strict.wait(ordered.containerId);
    assert.equal(readFileSync(join(ordered.workFolder, 'out'), 'utf8'), 'refused\nfine\n');
    await strict.close();
  });
});
