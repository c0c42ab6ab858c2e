import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { longestSubmission, SubmissionRoom } from './submission-room.ts';

const of = (user: string, characters: number) => ({ user, submission: { name: 'x'.repeat(characters) } });

describe('the room of submissions', () => {
  it('is bounded for each, for those of one user, and for all; who ends gives it back', () => {
    const room = new SubmissionRoom(1000);
    const refusal = ({ user, submission }: ReturnType<typeof of>) => room.refusalOf(user, submission);
    assert.match(refusal(of('ada', longestSubmission)) ?? '', /characters, more than 2097152$/);
    const [first, second] = [of('ada', 300), of('ben', 400)];
    assert.equal(refusal(first), undefined);
    room.add(first);
    assert.match(refusal(of('ada', 300)) ?? '', /^Applications of user ada hold as much memory/);
    assert.equal(refusal(of('ada', 100)), undefined);
    assert.equal(refusal(second), undefined);
    room.add(second);
    assert.match(refusal(of('cleo', 300)) ?? '', /^Applications of all users together hold/);
    room.remove(first);
    assert.deepEqual([refusal(of('cleo', 300)), refusal(of('ada', 300))], [undefined, undefined]);
  });
});
