import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type NameMechanism, nameRules } from './name-rules.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const names = (rules: string | undefined, mechanism: NameMechanism = 'hadoop') =>
  nameRules({ rules, mechanism, defaultRealm: 'EXAMPLE.TEST' });

describe('rules of names', () => {
  it('take users and services of the own realm by default', () => {
    for (const rules of [undefined, '', ' DEFAULT ']) {
      const nameOf = names(rules);
      assert.equal(nameOf('ann@EXAMPLE.TEST'), 'ann');
      assert.equal(nameOf('HTTP/localhost@EXAMPLE.TEST'), 'HTTP');
      assert.equal(nameOf('ann@OTHER.TEST'), undefined);
      assert.equal(nameOf('ann'), 'ann');
    }
  });

  it('are tried in order: components, format, match, substitution, small letters', () => {
    const nameOf = names(`
      RULE:[2:$1@$0](rm@.*EXAMPLE\\.TEST)s/.*/yarn/
      RULE:[2:$1/$2@$0]([nd]m/.*@EXAMPLE.TEST)s/([nd])m.*/$1ode/
      RULE:[1:$1@$0](.*@CORP\\.TEST)s/@.*//L
      RULE:[1:$1-of-$0](.*-of-GUESTS)s/-/_/g
      DEFAULT`);
    assert.equal(nameOf('rm/host@EXAMPLE.TEST'), 'yarn');
    assert.equal(nameOf('nm/host@EXAMPLE.TEST'), 'node');
    assert.equal(nameOf('dm/host@EXAMPLE.TEST'), 'dode');
    assert.equal(nameOf('Ann@CORP.TEST'), 'ann');
    assert.equal(nameOf('eve@GUESTS'), 'eve_of_GUESTS');
    assert.equal(nameOf('rm/host@OTHER.TEST'), undefined);
    assert.equal(nameOf('bob@EXAMPLE.TEST'), 'bob');
  });

  it('match the whole text, and know what stands for itself in a replacement', () => {
    assert.equal(names('RULE:[1:$1](an)')('ann@X'), undefined);
    assert.equal(names('RULE:[1:$1](an.)')('ann@X'), 'ann');
    assert.equal(names('RULE:[1:$1]s/n(n)/\\$$1$2/')('ann@X'), 'a$n');
    assert.equal(names('RULE:[1:$9$1]')('ann@X'), 'ann');
  });

  it('of the mechanism hadoop give no names with / or @; those of mit do, and keep what no rule takes', () => {
    assert.equal(names('RULE:[1:$1@$0]')('ann@X'), undefined);
    assert.equal(names('RULE:[1:$1@$0]', 'mit')('ann@X'), 'ann@X');
    assert.equal(names('DEFAULT', 'mit')('ann/admin@OTHER'), 'ann/admin@OTHER');
    assert.equal(names('DEFAULT', 'mit')('ann@EXAMPLE.TEST'), 'ann');
  });

  it('that cannot be read are refused, with what cannot', () => {
    for (const rules of ['RULE', 'RULE:[x:$1]', 'RULE:[1:$1](unclosed', 'DEFAULT nonsense', 'RULE:[1:$1]s/a/b'])
      assert.throws(() => names(rules), /does not begin with a rule/, rules);
    assert.throws(() => names('RULE:[1:$1](*)'), /"RULE:\[1:\$1\]\(\*\)" has an expression that cannot be read/);
  });

  it('that work for ever give no name', () => {
    assert.equal(names('RULE:[1:$1](a*a*a*a*a*a*a*a*b)')(`${'a'.repeat(400)}!@X`), undefined);
    assert.equal(names('RULE:[1:$1]s/(a+)+!!//')(`${'a'.repeat(60)}!@X`), undefined);
  });

  it('give no name for what is no principal', () => {
    for (const text of ['', '@EXAMPLE.TEST', 'a/b/c@EXAMPLE.TEST', 'root\\@EXAMPLE.TEST@OTHER', 'a@b@EXAMPLE.TEST', 'a'.repeat(2000)])
      for (const mechanism of ['hadoop', 'mit'] as const) assert.equal(names('DEFAULT', mechanism)(text), undefined, text);
  });

  it('never give an own user for a principal of another realm by default', () => {
    const nameOf = names('DEFAULT');
    fc.assert(
      fc.property(fc.string(), fc.string(), (user, realm) => {
        if (realm !== 'EXAMPLE.TEST') assert.equal(nameOf(`${user}@${realm}`), undefined);
      }),
    );
  });
});
