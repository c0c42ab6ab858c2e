import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../lib/clock.ts';
import { type AuthenticationRequest, actsFor, type Identity, type MayImpersonate, namesUser, shortName } from './authenticator.ts';
import { composeAuthenticator, type TokenProof } from './composition.ts';
import { authenticationCookie, cookieProof } from './cookie.ts';
import { CookieSigner } from './signer.ts';
import { anonymousCaller, refusedCaller, type SimpleOptions, simpleProof } from './simple.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const clock = new ManualClock();
const signer = new CookieSigner(Buffer.alloc(32, 1));
const secret = { user: 'ada', principal: 'ada@REALM', type: 'simple', expiresMs: clock.now() + 1000 };

const aRequest = (query: Record<string, string> = {}, headers: Record<string, string> = {}): AuthenticationRequest => ({
  method: 'GET',
  path: '/ws/v1/cluster',
  query: (name) => query[name],
  headers,
  remoteAddress: '10.0.0.5',
});
interface Rules extends Partial<SimpleOptions> {
  readonly staticUser?: string | undefined;
  readonly anonymousAllowed?: boolean;
  readonly mayImpersonate?: MayImpersonate;
  readonly tokens?: TokenProof;
}
const identify = (query: Record<string, string>, headers: Record<string, string> = {}, rules: Rules = {}) => {
  const { mayImpersonate, tokens, anonymousAllowed = true, ...more } = rules;
  const options = { signer, clock, cookieType: 'simple', ...more };
  const session = cookieProof(options, [options.cookieType ?? 'simple']);
  return composeAuthenticator({
    session,
    proofs: [session, simpleProof(options)],
    nobody: anonymousAllowed ? anonymousCaller('staticUser' in rules ? rules.staticUser : 'dr.who') : refusedCaller('PseudoAuth', options),
    mayImpersonate,
    tokens,
  }).identify(aRequest(query, headers)) as Identity;
};
const callerOf = (identity: ReturnType<typeof identify>) =>
  'caller' in identity ? identity.caller : assert.fail(JSON.stringify(identity));
const refusalOf = (identity: ReturnType<typeof identify>) =>
  'refusal' in identity ? identity.refusal : assert.fail(JSON.stringify(identity));
const cookieOf = (identity: ReturnType<typeof identify>) => identity.headers?.['set-cookie'];

describe('names', () => {
  it('end at their realm and host', () => {
    assert.deepEqual(['ada', 'ada@REALM', 'ada/host@REALM', 'ada/host', '@REALM', ''].map(shortName), ['ada', 'ada', 'ada', 'ada', '', '']);
  });

  it('name a user where something stands in front of realm and host', () => {
    for (const name of ['ada', 'ada@R', 'größe', 'ann b']) assert.ok(namesUser(name), name);
    for (const name of [
      '',
      ' ',
      '@REALM',
      '/host',
      ' @R',
      'a\nb',
      'a\0',
      'ada@R\u007f',
      '/x',
      '@x',
      'a\u009b',
      'a\u202eb',
      'a\u200f',
      '\ud800',
    ])
      assert.ok(!namesUser(name), JSON.stringify(name));
  });
});

describe('a caller who is named', () => {
  it('is the user of the name, and gets a cookie for next time', () => {
    const identity = identify({ 'user.name': 'ada@REALM' });
    assert.deepEqual(callerOf(identity), {
      user: 'ada',
      principal: 'ada',
      anonymous: false,
      authentication: 'simple',
      remoteAddress: '10.0.0.5',
    });
    const [, value = ''] = /^hadoop\.auth="(.*)"; Path=\/; HttpOnly$/.exec(cookieOf(identity) ?? '') ?? [];
    assert.deepEqual(signer.verify(value, clock.now()), {
      user: 'ada@REALM',
      principal: 'ada@REALM',
      type: 'simple',
      expiresMs: clock.now() + 36_000_000,
    });
  });

  it('gets a cookie of the time, kind and domain that are set, or none', () => {
    assert.match(
      cookieOf(identify({ 'user.name': 'ada' }, {}, { cookieLifetimeMs: 5, cookieType: 'simple-dt' })) ?? '',
      new RegExp(`&t=simple-dt&e=${clock.now() + 5}&`),
    );
    assert.match(
      cookieOf(identify({ 'user.name': 'ada' }, {}, { cookieDomain: 'example.org' })) ?? '',
      /; Path=\/; Domain=example\.org; HttpOnly$/,
    );
    assert.equal(cookieOf(identify({ 'user.name': 'ada' }, {}, { cookieType: undefined })), undefined);
    assert.equal(cookieOf(identify({ 'user.name': '名' })), undefined, 'a name beyond Latin-1 has no form in a header');
    assert.equal(callerOf(identify({ 'user.name': '名' })).user, '名');
  });

  it('is refused where the name is none', () => {
    for (const name of ['', ' ', 'a&b', 'a\r\nb', '@REALM', '/host', 'ada\u200b', 'ada\u00a0', '\u00adada', 'ada\u3000', 'a\u2060da']) {
      const refusal = refusalOf(identify({ 'user.name': name }));
      assert.deepEqual([refusal.code, refusal.entry.status], ['BAD_USER_NAME', 400], JSON.stringify(name));
    }
  });

  it('never is a user without a name, whatever the request says', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.option(fc.string(), { nil: undefined }), (name, doAs) => {
        const identity = identify({ 'user.name': name, ...(doAs === undefined ? {} : { doAs }) }, {}, { mayImpersonate: () => true });
        if ('caller' in identity) assert.ok(identity.caller.user && identity.caller.user.trim() !== '');
        assert.doesNotMatch(cookieOf(identity) ?? '', /[\r\n]/);
      }),
    );
  });
});

describe('a caller with a cookie', () => {
  const cookie = (value: string) => ({ cookie: `other=1; hadoop.auth="${value}"; more=2` });

  it('is the one that it was given to, also against a name', () => {
    const identity = identify({ 'user.name': 'eve' }, cookie(signer.sign(secret)));
    assert.deepEqual([callerOf(identity).user, cookieOf(identity)], ['ada', undefined]);
  });

  it('is unknown with a cookie that is forged, broken or past its end', () => {
    const good = signer.sign(secret);
    const old = signer.sign({ ...secret, expiresMs: clock.now() });
    for (const value of [good.replace('ada', 'eve'), good.slice(0, -2), old, 'garbage', ''])
      assert.deepEqual(
        [callerOf(identify({}, cookie(value))).user, callerOf(identify({}, cookie(value))).anonymous],
        ['dr.who', true],
        value,
      );
  });

  it('is refused with such a cookie where callers have to be known, unless it names itself', () => {
    const refused = (value: string) => identify({}, cookie(value), { anonymousAllowed: false });
    const identity = refused('garbage');
    assert.match(refusalOf(identity).message, /SignerException: Invalid signed text: garbage$/);
    assert.deepEqual(identity.headers, { 'www-authenticate': 'PseudoAuth', 'set-cookie': 'hadoop.auth=; Path=/; HttpOnly' });
    assert.match(refusalOf(refused('u=ada&p=ada&t=simple&e=1&s=abc')).message, /SignerException: Invalid signature$/);
    assert.equal(refusalOf(refused('')).message, 'Unauthorized access');
    for (const value of ['garbage', ''])
      assert.equal(callerOf(identify({ 'user.name': 'ada' }, cookie(value), { anonymousAllowed: false })).user, 'ada');
  });

  it('is read from the first cookie of that name, whatever its case, with or without quotes', () => {
    assert.equal(authenticationCookie('x=y; Hadoop.Auth="b=c"; hadoop.auth=a'), 'b=c');
    assert.equal(authenticationCookie('x=hadoop.auth; y=1'), undefined);
    assert.equal(authenticationCookie('my-hadoop.auth=a'), undefined);
    assert.equal(authenticationCookie(' hadoop.auth = "" '), '');
    assert.equal(authenticationCookie(undefined), undefined);
  });
});

describe('a caller who is not named', () => {
  it('is the static user where one stands in, else none', () => {
    assert.deepEqual(callerOf(identify({})), {
      user: 'dr.who',
      principal: 'dr.who',
      anonymous: true,
      authentication: undefined,
      remoteAddress: '10.0.0.5',
    });
    assert.equal(callerOf(identify({}, {}, { staticUser: undefined })).user, undefined);
  });

  it('is refused where callers have to be known', () => {
    assert.equal(refusalOf(identify({}, {}, { anonymousAllowed: false })).message, 'Authentication required');
    assert.equal(refusalOf(identify({}, { cookie: 'hadoop.auth=' }, { anonymousAllowed: false })).message, 'Unauthorized access');
  });
});

describe('a caller who acts for another', () => {
  const root = {
    mayImpersonate: (realUser: string, target: string, address: string) =>
      realUser === 'root' && target !== 'eve' && address === '10.0.0.5',
  };

  it('is that other, and known by name', () => {
    for (const name of ['doAs', 'doas', 'DOAS', 'DoAs']) {
      const caller = callerOf(identify({ 'user.name': 'root', [name]: 'ada@REALM' }, {}, root));
      assert.deepEqual([caller.user, caller.principal, caller.realUser, caller.anonymous], ['ada', 'ada@REALM', 'root', false], name);
    }
    assert.equal(actsFor(aRequest({ dOaS: 'ada' })), 'ada');
    assert.equal(actsFor(aRequest({ doa: 'ada' })), undefined);
    assert.equal(actsFor({ ...aRequest({ doAs: 'ada' }), url: '/x?doAs=ada' }), 'ada');
    assert.equal(actsFor({ ...aRequest(), url: '/x' }), undefined);
  });

  it('may be known by a cookie', () => {
    const value = signer.sign({ ...secret, user: 'root' });
    assert.equal(callerOf(identify({ doAs: 'ada' }, { cookie: `hadoop.auth=${value}` }, root)).realUser, 'root');
  });

  it('is refused where it may not, and where the other has no name', () => {
    const refusal = refusalOf(identify({ 'user.name': 'bob', doAs: 'ada' }, {}, root));
    assert.deepEqual([refusal.code, refusal.message], ['IMPERSONATION_REFUSED', 'User: bob is not allowed to impersonate ada']);
    assert.equal(refusalOf(identify({ 'user.name': 'root', doAs: 'eve' }, {}, root)).code, 'IMPERSONATION_REFUSED');
    // Lists hold short names.
    const whole = refusalOf(identify({ 'user.name': 'root', doAs: 'eve@REALM' }, {}, root));
    assert.deepEqual([whole.code, whole.message], ['IMPERSONATION_REFUSED', 'User: root is not allowed to impersonate eve@REALM']);
    for (const doAs of ['', ' ', '@REALM', 'a\nb'])
      assert.equal(refusalOf(identify({ 'user.name': 'root', doAs }, {}, root)).code, 'ILLEGAL_ARGUMENT', JSON.stringify(doAs));
  });

  it('acts for itself where the server does not know of others', () => {
    const caller = callerOf(identify({ 'user.name': 'root', doAs: 'ada' }));
    assert.deepEqual([caller.user, caller.realUser], ['root', undefined]);
  });

  it('needs a name: the static user acts for itself alone', () => {
    assert.equal(callerOf(identify({ doAs: 'ada' }, {}, { mayImpersonate: () => true })).user, 'dr.who');
  });
});

describe('a name where no cookie is given', () => {
  it('that is none counts for nothing', () => {
    for (const name of ['', ' ', 'a&b']) {
      assert.equal(callerOf(identify({ 'user.name': name }, {}, { cookieType: undefined })).user, 'dr.who');
      assert.equal(refusalOf(identify({ 'user.name': name })).code, 'BAD_USER_NAME');
    }
  });
});

describe('tokens', () => {
  it('may ask who was known before', () => {
    const tokens: TokenProof = (_request, _prove, session) => session() ?? { answer: { status: 200, body: 'token' } };
    const known = { cookie: `hadoop.auth=${signer.sign(secret)}` };
    assert.equal(callerOf(identify({ 'user.name': 'eve' }, known, { tokens })).user, 'ada');
    assert.equal(callerOf(identify({ doAs: 'bob' }, known, { tokens, mayImpersonate: () => true })).user, 'bob');
    assert.deepEqual(identify({ 'user.name': 'eve' }, {}, { tokens }), { answer: { status: 200, body: 'token' } });
  });
  it('are asked first, and may ask who the request names', () => {
    const asked: unknown[] = [];
    const tokens: TokenProof = (_request, prove) => {
      const identity = prove() as Identity | undefined;
      const user = identity && 'caller' in identity ? identity.caller.user : undefined;
      asked.push(user);
      return user === 'ada' ? { answer: { status: 200, body: 'token' } } : undefined;
    };
    assert.deepEqual(identify({ 'user.name': 'ada@REALM' }, {}, { tokens }), { answer: { status: 200, body: 'token' } });
    assert.equal(callerOf(identify({}, {}, { tokens })).user, 'dr.who');
    identify({ 'user.name': 'eve' }, { cookie: `hadoop.auth=${signer.sign(secret)}` }, { tokens });
    assert.deepEqual(asked, ['ada', undefined, 'ada']);
  });
});
