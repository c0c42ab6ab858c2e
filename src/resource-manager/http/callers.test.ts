import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller as HttpCaller } from '../../auth/authenticator.ts';
import { Failure } from '../../model/errors.ts';
import { knownCallers } from './callers.ts';

const anonymous: HttpCaller = { user: 'dr.who', principal: 'dr.who', anonymous: true, authentication: 'simple', remoteAddress: '10.0.0.1' };
const gate = (security: boolean) => knownCallers({ security, staticUser: 'dr.who', groupsOf: (user) => [`${user}s`] });
const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'known';
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
};

describe('the caller of a command', () => {
  it('has a name; the user who stands in for nameless callers only where no proof is asked for', () => {
    const { principal, ...rest } = anonymous;
    assert.equal(
      codeOf(() => gate(false)({ ...rest, user: undefined, principal: undefined })),
      'UNAUTHENTICATED',
    );
    assert.equal(
      codeOf(() => gate(false)(anonymous)),
      'known',
    );
    assert.equal(
      codeOf(() => gate(true)(anonymous)),
      'STATIC_USER_REFUSED',
    );
    assert.equal(
      codeOf(() => gate(true)({ ...anonymous, anonymous: false })),
      'known',
    );
    assert.equal(
      codeOf(() => gate(true)({ ...rest, user: 'ada', principal })),
      'known',
    );
  });

  it('brings its proof, the user it acts for, and groups that are looked up when asked', () => {
    const proxied: HttpCaller = { ...anonymous, user: 'ada', principal: undefined, realUser: 'oozie', authentication: 'kerberos' };
    const { groups, ...caller } = gate(true)(proxied);
    assert.deepEqual(caller, { user: 'ada', principal: 'ada', realUser: 'oozie', authentication: 'kerberos', remoteAddress: '10.0.0.1' });
    assert.deepEqual(groups(), ['adas']);
  });
});
