import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ApplicationExplanation } from '../wire/cluster/explanation.ts';
import { WaitTeller } from './wait-teller.ts';

it('who follows an application that waits long is told why, once a reason', async () => {
  let [nowMs, rule, asked] = [0, 'NODES_FULL', 0];
  const said: string[] = [];
  const explain = async () => {
    asked++;
    return {
      waiting: true,
      sentence: `It waits because of ${rule} for ${nowMs} ms.`,
      remedy: 'It goes on.',
      requests: [{ reasons: [{ rule }] }],
    } as unknown as ApplicationExplanation;
  };
  const teller = new WaitTeller(
    explain,
    (text) => said.push(text),
    () => nowMs,
  );
  const lookAt = async (ms: number) => {
    nowMs = ms;
    await teller.look();
  };
  await lookAt(1000);
  assert.equal(asked, 0);
  await lookAt(3000);
  await lookAt(3100);
  await lookAt(7000);
  assert.deepEqual([asked, said], [2, ['It waits because of NODES_FULL for 3000 ms.\n  It goes on.']]);
  rule = 'USER_LIMIT';
  await lookAt(11_000);
  assert.match(said[1] ?? '', /USER_LIMIT/);
});
