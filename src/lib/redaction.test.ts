import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Redaction, withoutPasswords } from './redaction.ts';

describe('values that are hidden by their names', () => {
  const redaction = new Redaction();

  it('are those that Hadoop hides, and whose names say what they are', () => {
    for (const key of [
      ...['fs.s3a.secret.key', 'fs.s3a.bucket.logs.secret.key', 'hadoop.security.sensitive.password', 'ssl.server.keystore.password'],
      ...['ssl.server.keystore.keypassword', 'fs.azure.account.key', 'dfs.web.ugi.credential', 'my.client-secret', 'fs.s3a.session.token'],
      ...['fs.s3a.encryption.key', 'fs.adl.oauth2.refresh.token', 'db.passwd', 'db.pwd', 'maps.api.key', 'maps.apiKey', 'ssh.private-key'],
      ...['DB_PASSWORD', 'env.AWS_SECRET_ACCESS_KEY', 'proxyPassphrase', `${'x'.repeat(2000)}`, 'hadoop.security.sensitive-config-keys'],
    ])
      assert.ok(redaction.hides(key), key);
  });

  it('are not names of files, times and switches', () => {
    for (const key of [
      ...['heddle.cluster.secret-file', 'hadoop.http.authentication.signature.secret.file', 'fs.s3a.access.key', 'yarn.acl.enable'],
      ...[
        'yarn.resourcemanager.delegation.token.renew-interval',
        'mapreduce.job.credentials.path',
        'hadoop.security.credential.provider.path',
      ],
      ...['yarn.scheduler.capacity.root.queues', 'hadoop.http.authentication.token.validity', 'keyboard.layout', 'passing.rate'],
    ])
      assert.ok(!redaction.hides(key), key);
  });

  it('are those of expressions that are set; one that is none counts as it stands', () => {
    const own = new Redaction('^my\\.,  other.*key ( (x');
    assert.ok(own.hides('my.thing') && own.hides('other.big.key') && own.hides('a(xb'));
    assert.ok(!own.hides('fs.s3a.access.key') && !own.hides('not.my.thing'));
    assert.ok(own.hides('db.password'), 'names that say so are hidden whatever is set');
  });
});

describe('values that are shown', () => {
  it('hold no secret of another name', () => {
    const redaction = new Redaction().learn([
      ['db.password', ' correct horse '],
      ['pin.secret', '1234'],
      ['plain', 'battery staple'],
    ]);
    assert.equal(redaction.shown('alias', 'x-correct horse-y 1234 battery staple'), 'x-<redacted>-y 1234 battery staple');
    assert.equal(redaction.shown('db.password', 'x', '***'), '***');
  });

  it('are hidden altogether where there are more secrets than are looked for', () => {
    const redaction = new Redaction().learn(Array.from({ length: 301 }, (_, index) => [`password.${index}`, `a secret ${index}`]));
    assert.equal(redaction.shown('plain', 'of no interest'), '<redacted>');
  });

  it('hold no password of an address', () => {
    for (const [text, shown] of [
      ['jdbc:mysql://ann:p@ss@db/x', 'jdbc:mysql://ann:*@db/x'],
      ['redis://:geheim@r:6379,redis://:auch@s', 'redis://:*@r:6379,redis://:*@s'],
      ['http://h:8080/a@b', 'http://h:8080/a@b'],
      ['https://ann@h/', 'https://ann@h/'],
      ['jdbc:x://h/d?user=a&password=b;pwd=c', 'jdbc:x://h/d?user=a&password=*;pwd=*'],
      ['a=b,token=t', 'a=b,token=*'],
      ['plain text: a@b', 'plain text: a@b'],
    ] as const)
      assert.equal(withoutPasswords(text, '*'), shown);
  });
});
