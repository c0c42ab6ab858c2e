// A container's start is a list of small steps; each can be undone, and what is done is undone last to first when the container ends.
import type { ContainerEngine } from '../../../engines/engine.ts';
import type { Gpus } from '../../devices/gpus.ts';
import type { NodeFolders } from '../../folders.ts';
import type { LocalCache } from '../../localization/cache.ts';
import type { LocalizationCounts } from '../../localization/localization-counts.ts';
import type { NodeUsers } from '../../users.ts';
import type { Container } from '../container.ts';
import type { EnvironmentFacts } from '../environment.ts';

/** What the steps share. */
export interface StartContext {
  readonly container: Container;
  readonly folders: NodeFolders;
  readonly cache: LocalCache;
  readonly engine: ContainerEngine;
  /** What every container of the node is told. */
  readonly node: Pick<
    EnvironmentFacts,
    'nodeHost' | 'nodePort' | 'nodeHttpPort' | 'homeFolder' | 'confDir' | 'authorityFile' | 'administrator' | 'serviceData'
  > & {
    /** Variables that containers inherit, with this node's values. */
    readonly inherited: readonly (readonly [string, string])[];
    /** The node's GPUs; absent where their plug-in is off. */
    readonly gpus?: Gpus | undefined;
    /** Users of the machine that containers run as; absent: they run as the node manager's own. */
    readonly users?: NodeUsers | undefined;
    /** Secrets stand in the environment of containers, too. */
    readonly secretsInEnvironment?: boolean;
    /** Keeps directory.info and a copy of the script. */
    readonly debug: boolean;
  };
  /** Resolves when the order, and what was given to it, is durable, or the container's end was asked for. */
  readonly recorded: () => Promise<void>;
  /** Name in the working folder → path, filled by `localize`. */
  readonly links: Map<string, string>;
  /** What `localize` counts. */
  readonly localized: LocalizationCounts;
  /** The script that `write-script` writes. */
  readonly scriptFile: string;
  /** Its text, once that has. */
  script: string;
}

/** One step. `run` stops early when the container's end is asked for. */
export interface StartStep {
  readonly name: string;
  run(context: StartContext): Promise<void>;
  /** Takes back what `run` did, also in an earlier process of the node manager; must not fail because something is gone already. */
  undo(context: StartContext): Promise<void>;
}
