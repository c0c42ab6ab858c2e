// One engine of several: each container says by YARN_CONTAINER_RUNTIME_TYPE which it wants (DelegatingLinuxContainerRuntime).
import type { ContainerEngine, EngineOrder, EngineUsage, ShellOrder } from './engine.ts';

/** Engines by the name that orders choose them by. */
export interface RuntimeChoiceOptions {
  readonly engines: ReadonlyMap<string, ContainerEngine>;
  /** Names that orders may choose. */
  readonly allowed: readonly string[];
  /** The name for orders that choose none. */
  readonly fallback: string;
}

const variable = 'YARN_CONTAINER_RUNTIME_TYPE';

/** The engine over them all. */
export function createRuntimeChoice({ engines, allowed, fallback }: RuntimeChoiceOptions): ContainerEngine {
  const all = [...new Set(engines.values())];
  const owners = new Map<string, ContainerEngine>();
  let isAsked = false;
  /** The engines are asked what an earlier process left once: each looks through its folder, and a node may have thousands of containers. */
  const askAll = (): void => {
    if (isAsked) return;
    isAsked = true;
    for (const engine of all)
      for (const containerId of engine.rememberedContainers()) if (!owners.has(containerId)) owners.set(containerId, engine);
  };
  const ownerOf = (containerId: string): ContainerEngine => owners.get(containerId) ?? all[0]!;
  const choose = ({ runtime }: EngineOrder): ContainerEngine => {
    const asked = runtime?.[variable]?.trim();
    const name = (asked === undefined || asked === '' ? fallback : asked).toLowerCase();
    if (!allowed.includes(name)) throw new Error(`Requested runtime not allowed: ${name}. This node allows ${allowed.join(', ')}.`);
    const engine = engines.get(name);
    if (!engine) throw new Error(`This node has no runtime '${name}'.`);
    return engine;
  };
  return {
    name: all.map(({ name }) => name).join('+'),
    async start(order) {
      const engine = choose(order);
      owners.set(order.containerId, engine);
      return engine.start(order);
    },
    signal: (containerId, signal) => ownerOf(containerId).signal(containerId, signal),
    wait: (containerId) => ownerOf(containerId).wait(containerId),
    async recover(containerId) {
      askAll();
      const owner = owners.get(containerId);
      if (owner) return owner.recover(containerId);
      // Of what was started before the machine was started anew nothing may be left; the engines know whether it was.
      for (const engine of all) {
        const found = await engine.recover(containerId);
        if (found.state !== 'unknown') return found;
      }
      return { state: 'unknown' };
    },
    recovered: () => {
      for (const engine of all) engine.recovered?.();
    },
    rememberedContainers: () => [...new Set(all.flatMap((engine) => engine.rememberedContainers()))],
    async usage() {
      const used = await Promise.all(all.map((engine) => engine.usage()));
      return new Map<string, EngineUsage>(used.flatMap((each) => [...each]));
    },
    forget(containerId) {
      for (const engine of all) engine.forget(containerId);
      owners.delete(containerId);
    },
    async close() {
      await Promise.all(all.map((engine) => engine.close()));
    },
    ...(all.every((engine) => engine.pause) && {
      pause: async (containerId: string) => ownerOf(containerId).pause!(containerId),
      resume: async (containerId: string) => ownerOf(containerId).resume!(containerId),
    }),
    ...(all.some((engine) => engine.enter) && {
      enter: async (order: ShellOrder) => {
        const owner = ownerOf(order.containerId);
        if (!owner.enter) throw new Error(`${owner.name} cannot be entered`);
        return owner.enter(order);
      },
    }),
    ...(all.some((engine) => engine.resize) && {
      resize: async (containerId: string, limits: EngineOrder['limits']) => ownerOf(containerId).resize?.(containerId, limits),
    }),
  };
}
