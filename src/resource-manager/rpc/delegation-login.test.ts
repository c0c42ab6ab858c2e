import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { encodeIdentifier } from '../../auth/delegation/token-identifier.ts';
import type { TokenManager } from '../../auth/delegation/token-manager.ts';
import { loadConfiguration } from '../../config/load.ts';
import type { AccessRules } from '../security/access-rules.ts';
import { rpcAuthenticationOf } from '../start/open-rpc.ts';
import { knownRpcCallers } from './callers.ts';
import { delegationLogin } from './delegation-login.ts';

const identifier = (owner: string, realUser = '') =>
  encodeIdentifier({ owner, renewer: '', realUser, issueDate: 1, maxDate: 2, sequenceNumber: 1, masterKeyId: 1 });
const noTokens = {} as TokenManager;

describe('a login with a delegation token', () => {
  const nameOf = (principal: string) => ({ 'ann@HERE': 'ann', 'ann@THERE': 'ann@THERE', 'proxy@HERE': 'proxy' })[principal];
  const login = delegationLogin(noTokens, nameOf);

  it('is of the user whom the rules of names give, not of what stands before the realm', () => {
    assert.deepEqual(login.userOf(identifier('ann@HERE', 'proxy@HERE')), { user: 'ann', realUser: 'proxy' });
    const { user } = login.userOf(identifier('ann@THERE'));
    const known = knownRpcCallers(() => []);
    const caller = { realUser: undefined, token: undefined, remoteAddress: '' };
    assert.equal(known({ ...caller, user, authentication: 'token' }).user, 'ann@THERE');
    assert.equal(known({ ...caller, user: 'ann@THERE', authentication: 'simple' }).user, 'ann');
    assert.throws(() => login.userOf(identifier('eve@NOWHERE')), /no user here has the name eve@NOWHERE/);
  });
});

describe('callers of the port', () => {
  const authentication = (set: Record<string, string>) =>
    rpcAuthenticationOf(loadConfiguration({ dataDir: tmpdir(), set }), { mayImpersonate: () => false } as unknown as AccessRules, noTokens);

  it('name themselves only where they may over HTTP', () => {
    assert.ok(authentication({}).simple);
    const tickets = {
      'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer',
      'hadoop.http.authentication.type': 'kerberos',
    };
    for (const set of [tickets, { 'heddle.security.authentication': 'bearer' }]) {
      const { simple, tokens } = authentication(set);
      assert.deepEqual([simple, tokens === undefined], [undefined, false], JSON.stringify(set));
    }
  });
});
