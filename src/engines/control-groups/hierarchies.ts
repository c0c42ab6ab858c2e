// Where control groups are mounted and which controllers can be used there: version 2 where it has the controller, else version 1.

import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileText } from '../../lib/file-text.ts';

/** Controllers that Heddle knows to use. `cpuacct` and `cpuset` are left alone. */
export type Controller = 'memory' | 'cpu' | 'pids' | 'devices';

/** Where the groups of this machine are. */
export interface Hierarchies {
  /** Mount point of version 2, with the controllers that it has. */
  readonly unified: { readonly path: string; readonly controllers: ReadonlySet<string> } | undefined;
  /** Mount points of version 1 by controller. */
  readonly legacy: ReadonlyMap<string, string>;
}

/** Reads the mounts of this machine. `mountsFile` is `/proc/mounts` but in tests. */
export function findHierarchies(mountsFile = '/proc/mounts'): Hierarchies {
  let unified: Hierarchies['unified'];
  const legacy = new Map<string, string>();
  for (const line of fileText(mountsFile).split('\n')) {
    const [, escaped = '', type, options = ''] = line.split(' ');
    const path = escaped.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
    if (type === 'cgroup2' && !unified)
      unified = { path, controllers: new Set(fileText(join(path, 'cgroup.controllers')).trim().split(/\s+/).filter(Boolean)) };
    else if (type === 'cgroup') for (const option of options.split(',')) if (!legacy.has(option)) legacy.set(option, path);
  }
  return { unified, legacy };
}

/** The group below which all groups of one owner lie. */
export interface Base {
  /** Folder in version 2; absent where that is not mounted or not writable. */
  readonly unified: string | undefined;
  /** Folder of each controller wanted that can be used, with the version of its hierarchy. */
  readonly folders: ReadonlyMap<Controller, { readonly path: string; readonly version: 1 | 2 }>;
  /** Controllers wanted that cannot be used, with the reason. */
  readonly missing: ReadonlyMap<Controller, string>;
}

/**
 * Makes the group `hierarchy` (a path below the mount points) and enables the controllers on the way to it. What cannot be had is told
 * in `missing`; nothing is thrown.
 */
export function makeBase(hierarchies: Hierarchies, hierarchy: string, wanted: readonly Controller[]): Base {
  const parts = hierarchy.split('/').filter((part) => part !== '');
  const folders = new Map<Controller, { path: string; version: 1 | 2 }>();
  const missing = new Map<Controller, string>();
  const { unified, legacy } = hierarchies;
  let unifiedFolder: string | undefined;
  if (unified) {
    try {
      const enabled = wanted.filter((controller) => unified.controllers.has(controller));
      let path = unified.path;
      for (const part of parts) {
        enable(path, enabled);
        path = join(path, part);
        mkdirSync(path, { recursive: true });
      }
      enable(path, enabled);
      checkWritable(path);
      unifiedFolder = path;
      for (const controller of enabled) folders.set(controller, { path, version: 2 });
    } catch (error) {
      for (const controller of wanted) if (unified.controllers.has(controller)) missing.set(controller, reasonOf(error));
    }
  }
  for (const controller of wanted) {
    if (folders.has(controller) || missing.has(controller)) continue;
    const mount = legacy.get(controller);
    if (mount === undefined) {
      missing.set(controller, `no control group hierarchy with the controller ${controller} is mounted`);
      continue;
    }
    try {
      const path = join(mount, ...parts);
      mkdirSync(path, { recursive: true });
      checkWritable(path);
      folders.set(controller, { path, version: 1 });
    } catch (error) {
      missing.set(controller, reasonOf(error));
    }
  }
  return { unified: unifiedFolder, folders, missing };
}

function checkWritable(path: string): void {
  accessSync(path, constants.W_OK | constants.X_OK);
  accessSync(join(path, 'cgroup.procs'), constants.W_OK);
}

/** Lets the children of a version 2 group use controllers. */
function enable(path: string, controllers: readonly string[]): void {
  const file = join(path, 'cgroup.subtree_control');
  const have = new Set(fileText(file).trim().split(/\s+/));
  const wanted = controllers.filter((controller) => !have.has(controller));
  if (wanted.length > 0 && existsSync(file)) writeFileSync(file, wanted.map((controller) => `+${controller}`).join(' '));
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
