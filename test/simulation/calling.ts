// A master whose calls a test makes one by one, and the cluster in which it runs.
import { type Application, currentAttempt } from '../../src/resource-manager/applications/application.ts';
import type { Attempt } from '../../src/resource-manager/applications/attempt.ts';
import type { Submission } from '../../src/resource-manager/applications/submission.ts';
import type { RegisteredAnew, TakenRequest } from '../../src/resource-manager/cluster/masters.ts';
import { nothingToRun, submissionOf } from './submissions.ts';
import { World } from './world.ts';

/** The master. */
export class Caller {
  readonly world: World;
  readonly id: string;
  responseId = 0;

  constructor(world: World, id: string) {
    this.world = world;
    this.id = id;
  }

  get application(): Application {
    return this.world.cluster.view.application(this.id)!;
  }
  get attempt(): Attempt {
    return currentAttempt(this.application)!;
  }

  async register(heardEnds: string[] = [], registrationId?: string): Promise<RegisteredAnew> {
    const at = { host: 'h', rpcPort: 1, trackingUrl: '', heardEnds, registrationId };
    const registered = this.world.cluster.registerMaster(this.application, this.attempt, at)!;
    this.responseId = registered.responseId;
    await registered.durable;
    return registered;
  }

  async call(more: Omit<TakenRequest, 'responseId'> = {}) {
    const call = { responseId: this.responseId, ...more };
    const answer = await this.world.cluster.allocate(this.application, this.attempt, call, 0, new AbortController().signal);
    if (answer.command === undefined) this.responseId = answer.responseId;
    await this.world.settle();
    return answer;
  }

  ask(askId: string, count = 1) {
    return this.call({ requests: [{ askId, resource: { memoryMiB: 128, vcores: 1 }, count, launch: nothingToRun }] });
  }
}

/** A cluster of `nodes` nodes; the first runs the registered master of one application. */
export async function running(nodes = 1, more: Partial<Submission> = {}): Promise<{ world: World; master: Caller }> {
  const world = new World('capacity', 7, { logAggregation: false });
  for (let i = 0; i < nodes; i++) world.addNode(`n${i}:45454`);
  const master = new Caller(world, world.cluster.newApplicationId());
  await world.submit(submissionOf(master.id, { queue: 'b', ...more }), 'ada');
  await world.exchange();
  await master.register();
  await world.exchange();
  return { world, master };
}
