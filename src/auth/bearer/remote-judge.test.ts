import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';
import { changesQuestion, examinePath, examineQuestion, sealed, unsealed } from './examination.ts';
import { remoteJudge } from './remote-judge.ts';
import { type KeptToken, TokenRegistry } from './token-registry.ts';
import { digestOfBearer } from './token-text.ts';

const secret = Buffer.alloc(32, 1);

/** A server beside a resource manager. `away` cuts the line; `answer` changes what the resource manager says. */
async function stand() {
  const clock = new ManualClock();
  const store = { load: () => [], put: async (_: KeptToken) => undefined, remove: async (_: string) => undefined };
  const registry = new TokenRegistry({ store, clock, random: seededRandom(1), failed: (error) => assert.fail(String(error)) });
  const line = { away: false, asked: 0, answer: (value: object): object => value };
  const judge = remoteJudge({
    secret: { examinationKeys: [secret] },
    clock,
    random: seededRandom(2),
    async ask(path, body) {
      if (line.away) throw new Error('away');
      if (path === examinePath) {
        line.asked++;
        const { value, nonce } = unsealed([secret], 'examine question', examineQuestion, body)!;
        return line.answer(sealed(secret, 'examine answer', nonce, registry.judge(value.digest)));
      }
      const { value, nonce } = unsealed([secret], 'changes question', changesQuestion, body)!;
      await registry.changed(value.version, new AbortController().signal);
      if (line.away) throw new Error('away');
      return sealed(secret, 'changes answer', nonce, { version: registry.version });
    },
  });
  const make = (lifetimeMs = 1e9) => registry.create({ user: 'ann', name: 'ci', scope: 'read', lifetimeMs, proved: true });
  const worth = async (text: string) => {
    const verdict = await judge(digestOfBearer(text));
    return verdict.token?.user ?? verdict.refused;
  };
  return { clock, registry, line, worth, make };
}
const turns = () => new Promise((resolve) => setImmediate(resolve));

it('asks once for a token that is used again and again, and again after a minute', async () => {
  const { worth, make, line, clock } = await stand();
  const { text } = await make();
  for (let use = 0; use < 5; use++) assert.equal(await worth(text), 'ann');
  assert.equal(line.asked, 1);
  clock.advance(60_000);
  assert.equal(await worth(text), 'ann');
  assert.equal(line.asked, 2);
});
it('refuses a token as soon as it is revoked', async () => {
  const { worth, make, registry } = await stand();
  const { text, token } = await make();
  assert.equal(await worth(text), 'ann');
  await registry.revoke(token);
  await turns();
  assert.equal(await worth(text), 'unknown');
});
it('refuses a token when its time is over, without asking', async () => {
  const { worth, make, line, clock } = await stand();
  const { text } = await make(10_000);
  assert.equal(await worth(text), 'ann');
  clock.advance(10_000);
  assert.equal(await worth(text), 'expired');
  assert.equal(line.asked, 1);
});
it('goes on with tokens it knows for a minute while the resource manager is away, and takes no new ones', async () => {
  const { worth, make, registry, line, clock } = await stand();
  const { text, token } = await make();
  const { text: other } = await make();
  assert.equal(await worth(text), 'ann');
  line.away = true;
  // Whatever ends the open question.
  await registry.revoke((await make()).token);
  await turns();
  clock.advance(59_000);
  assert.equal(await worth(text), 'ann');
  await assert.rejects(worth(other), { code: 'BEARER_UNEXAMINED' });
  clock.advance(1_000);
  await assert.rejects(worth(text), { code: 'BEARER_UNEXAMINED' });
  line.away = false;
  await registry.revoke(token);
  assert.equal(await worth(text), 'unknown');
});
it('believes no answer but that of the resource manager to this question', async () => {
  const { worth, make, line } = await stand();
  const { text } = await make();
  const said = { token: { id: 'x', user: 'root', scope: 'admin', expiresMs: 9e15, proved: true }, version: 'v' };
  let earlier: object | undefined;
  const lies: ((answer: object) => object)[] = [
    () => sealed(Buffer.alloc(32, 2), 'examine answer', 'n'.repeat(22), said),
    () => said,
    (answer) => ({ ...answer, content: JSON.stringify(said) }),
    (answer) => {
      const { nonce } = answer as { nonce: string };
      return sealed(secret, 'examine question', nonce, said);
    },
    (answer) => {
      earlier ??= answer;
      return sealed(secret, 'examine answer', 'n'.repeat(22), said);
    },
  ];
  for (const lie of lies) {
    line.answer = lie;
    await assert.rejects(worth(text), { code: 'BEARER_UNEXAMINED' });
  }
  line.answer = () => earlier!;
  await assert.rejects(worth(text), { code: 'BEARER_UNEXAMINED' });
  line.answer = (answer) => answer;
  assert.equal(await worth(text), 'ann');
});
