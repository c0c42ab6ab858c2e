import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startFileServers } from '../batch/test-support/file-servers.ts';
import { startS3Fixture } from '../client/test-support/s3-fixture.ts';
import { CommandFailure } from './failure.ts';
import { readAskedFiles, readFiles } from './files.ts';
import { lookAtAddresses } from './remote-files.ts';

const refusal = (message: RegExp, exitCode: number) => (error: unknown) =>
  error instanceof CommandFailure && error.exitCode === exitCode && message.test(error.message);

describe('files that nodes read from other machines', () => {
  it('are looked for before anything starts: on web servers, with a name node, in stores', async () => {
    await using servers = await startFileServers();
    await using s3 = await startS3Fixture();
    const reader = { user: 'ann', property: (name: string) => s3.settings[name] };
    const look = (address: string, exitCode?: number) =>
      lookAtAddresses(readAskedFiles([{ text: address, said: `--file ${address}`, ...(exitCode && { exitCode }) }]), reader);
    servers.files.set('/folder/a b', Buffer.from('a'));
    s3.objects.set('folder/a b', { body: Buffer.from('a'), modified: new Date(0) });
    const roots = [servers.web, servers.nameNode, 's3a://logs'];
    for (const root of roots) assert.deepEqual(await look(`${root}/folder/a%20b#name`), [], root);
    for (const root of roots)
      await assert.rejects(look(`${root}/folder/b`), refusal(/^--file .*folder\/b: there is no such file/, 2), root);
    await assert.rejects(look('s3a://logs/folder', 3), refusal(/is not a file/, 3));
    assert.deepEqual(await look(`${servers.nameNode}/folder`), [], 'nodes bring folders of HDFS whole');
  });

  it('are left to the nodes where this machine may not look at them, which is said', async () => {
    await using servers = await startFileServers();
    const reader = { user: 'bob', property: () => undefined };
    const [note, ...others] = await lookAtAddresses(readFiles([`${servers.nameNode}/a`]), reader);
    assert.match(note ?? '', /^--file webhdfs:.* cannot be looked at from here \(webhdfs:.*\/a: Permission denied\); nodes read it by/);
    assert.deepEqual(others, []);
  });
});
