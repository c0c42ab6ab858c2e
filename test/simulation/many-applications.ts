// Many short applications through one cluster: submitted, run, ended, forgotten.
import type { Cluster } from '../../src/resource-manager/cluster.ts';
import { submissionOf } from './submissions.ts';
import { World } from './world.ts';

/** How much the cluster keeps in memory, by what. */
export function sizesOf(cluster: Cluster): Record<string, number> {
  let applicationsOfNodes = 0;
  for (const node of cluster.view.nodes()) applicationsOfNodes += node.applications.size;
  const { nodes: _nodes, ...kept } = cluster.sizes();
  return { ...kept, applicationsOfNodes };
}

const unrest = (cluster: Cluster): number => {
  const { containers, waiting, submissions } = cluster.sizes();
  return containers + waiting + submissions;
};

/** Runs `count` applications, a few at a time, half to a good end and the others to a bad one; returns when memory may be empty. */
export async function endManyApplications(count: number, onProgress?: (ended: number, world: World) => void): Promise<World & Disposable> {
  const world = new World('capacity', 1);
  for (let i = 0; i < 4; i++) world.addNode(`n${i}:45454`);
  for (let done = 0; done < count; done += 10) {
    for (let i = 0; i < 10; i++) {
      const id = world.cluster.newApplicationId();
      void world.submit(submissionOf(id, { queue: i % 2 === 0 ? 'b' : 'a1', maximumAttempts: 1, resource: [128, 1] }), 'ada');
    }
    for (let round = 0; round < 20 && unrest(world.cluster) > 0; round++) {
      await world.exchange();
      for (const master of [...world.masters]) {
        if (master.state === 'new') await master.register();
        if (master.state === 'registered' && Number(master.applicationId.slice(-1)) % 2 === 0) await master.finish('SUCCEEDED');
      }
      for (const node of world.nodes)
        for (const container of node.containers.values()) node.complete(container, Number(container.applicationId.slice(-1)) % 2);
      await world.exchange();
    }
    world.clock.advance(1000);
    onProgress?.(done + 10, world);
  }
  world.clock.advance(700_000);
  await world.settle();
  return Object.assign(world, { [Symbol.dispose]: () => world.close() });
}
