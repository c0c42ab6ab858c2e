import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aContainer, aNode, anApplication, anAttempt } from '../test-support/builders.ts';
import { awayOf } from './explain-away.ts';

const containers = (...ids: readonly string[]) => new Map(ids.map((id) => [id, aContainer({ id, nodeId: 'n1:1' })]));

describe('what is away', () => {
  const attempt = anAttempt({ masterContainerId: 'm', containers: containers('m', 'a') });
  const application = anApplication({ attempts: [attempt] });
  const node = (connected: boolean) => ({ node: () => aNode('n1:1', { connected }) });

  it('is nothing while all nodes are there', () => {
    assert.equal(awayOf({ ...node(true), expected: () => [] }, application, 600_000), undefined);
  });

  it('is what runs on nodes without a connection, and what an earlier process gave', () => {
    assert.match(
      awayOf({ ...node(false), expected: () => [] }, application, 600_000)!.sentence,
      /its master among 2 containers on n1:1, whose/,
    );
    const expected = Array.from({ length: 7 }, (_, i) => aContainer({ id: `c${i}`, nodeId: `n${i}:1` }));
    const away = awayOf({ ...node(true), expected: () => expected }, application, 15_000);
    assert.match(away!.sentence, /^It waits for 7 containers on n0:1, n1:1, n2:1, n3:1, n4:1 and 2 more, not heard of since/);
    assert.match(away!.remedy, /for 15 s is lost/);
  });
});
