// Containers in images, run by an OCI runtime (runc, crun or one that works like them) below the launcher.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileText } from '../../lib/file-text.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { readStat } from '../../lib/process-stat.ts';
import { processExitCode } from '../../model/exit-status.ts';
import type { ControlGroups } from '../control-groups/control-groups.ts';
import type { ContainerEngine, ShellOrder } from '../engine.ts';
import { launchEnvironment } from '../supervised/launch-environment.ts';
import type { ContainerRuntime, EnteredContainer, RuntimeSignal } from '../supervised/runtime.ts';
import { type ShellEntry, shellVariable } from '../supervised/shell.ts';
import { SupervisedEngine, type SupervisedEngineOptions } from '../supervised/supervised-engine.ts';
import { terminalVariables } from '../terminal-variables.ts';
import { makeBundle, removeBundle } from './bundle.ts';
import { openImages } from './images.ts';
import { type RuntimeRules, readRequest } from './request.ts';

const run = promisify(execFile);

/** What an OCI engine needs. */
export interface OciEngineOptions extends SupervisedEngineOptions {
  /** The runtime's program with options of its own, such as `runc` or `crun --cgroup-manager=disabled`. */
  readonly runtime: readonly string[];
  /** Folder of images. */
  readonly images: string;
  readonly rules: RuntimeRules;
  readonly readOnlyRoot: boolean;
  /** Capabilities of containers, without CAP_. */
  readonly capabilities: readonly string[];
  /** Which system calls containers may make (linux.seccomp of the runtime-spec); absent: all. */
  readonly seccomp?: object | undefined;
  readonly controlGroups?: ControlGroups;
}

/** Name of the group that the runtime makes below the container's own, whose limits and end are the engine's. */
const innerGroup = 'oci';
const pollMs = 2;

/** Starts the launcher and gives the engine. */
export function createOciEngine(options: OciEngineOptions): ContainerEngine {
  makeFolder(join(options.folder, 'bundles'), 0o700);
  return new SupervisedEngine(options, new OciRuntime(options));
}

/** What is known of a container whose start is waited for. */
interface Start {
  pid?: number | undefined;
  problem?: string | undefined;
  ended?: boolean;
}

class OciRuntime implements ContainerRuntime {
  readonly name = 'oci';
  readonly resize?: ContainerRuntime['resize'];
  readonly #options: OciEngineOptions;
  readonly #images;
  #copies = false;
  readonly #starting = new Map<string, Start>();

  constructor(options: OciEngineOptions) {
    this.#options = options;
    this.#images = openImages(options.images, join(options.folder, 'images'));
    const { controlGroups } = options;
    if (controlGroups) this.resize = async (containerId, limits) => controlGroups.resize(containerId, limits);
  }

  #bundle(containerId: string): string {
    return join(this.#options.folder, 'bundles', containerId);
  }
  get #state(): string {
    return join(this.#options.folder, 'state');
  }

  async prepare(order: Parameters<ContainerRuntime['prepare']>[0]): ReturnType<ContainerRuntime['prepare']> {
    const { runtime, rules, readOnlyRoot, capabilities, seccomp, controlGroups } = this.#options;
    const { containerId, workFolder } = order;
    // Its end may be heard before its start is waited for.
    this.#starting.set(containerId, {});
    const request = await readRequest(order, rules);
    if (!existsSync(workFolder)) throw new Error(`the work folder of ${containerId} does not exist`);
    const image = await this.#images.find(request.image);
    const folder = this.#bundle(containerId);
    await removeBundle(folder);
    await controlGroups?.create(containerId, order.limits, []);
    const group = controlGroups && `${controlGroups.hierarchy}/${containerId}/${innerGroup}`;
    const copied = (reason: string) => {
      if (!this.#copies)
        this.#options.logger.warn({ reason }, 'images are copied for each container: they cannot be laid over with overlayfs here');
      this.#copies = true;
    };
    await makeBundle({ copied, folder, order, request, image, readOnlyRoot, capabilities, seccomp, controlGroup: group });
    const files = ['--log', join(folder, 'log'), '--log-format', 'json'];
    const command = [
      ...runtime,
      '--root',
      this.#state,
      ...files,
      'run',
      '--bundle',
      folder,
      '--pid-file',
      join(folder, 'pid'),
      containerId,
    ];
    return { workFolder, command, joins: [], variables: [], input: '' };
  }

  async running(containerId: string, _pid: number, exited: Promise<unknown>): Promise<{ pid: number }> {
    const start = this.#starting.get(containerId) ?? {};
    this.#starting.set(containerId, start);
    void exited.then(() => {
      start.ended = true;
    });
    try {
      for (;;) {
        this.#look(containerId, start);
        if (start.pid !== undefined) return { pid: start.pid };
        if (start.ended) {
          await exited;
          throw new Error(`the OCI runtime could not start ${containerId}: ${start.problem ?? 'it gives no reason'}`);
        }
        const next = new Promise<void>((resolve) => this.#options.clock.setTimer(pollMs, resolve));
        await Promise.race([next, exited]);
      }
    } finally {
      this.#starting.delete(containerId);
    }
  }

  #look(containerId: string, start: Start): void {
    start.pid ??= this.#firstProcess(containerId);
    start.problem ??= this.#problem(containerId);
  }

  #firstProcess(containerId: string): number | undefined {
    const pid = Number(fileText(join(this.#bundle(containerId), 'pid')));
    return pid > 1 ? pid : undefined;
  }

  /** Why the runtime could not start the container. */
  #problem(containerId: string): string | undefined {
    for (const line of fileText(join(this.#bundle(containerId), 'log')).split('\n')) {
      try {
        const { level, msg } = JSON.parse(line) as { level?: string; msg?: string };
        if (level === 'error' && msg) return msg;
      } catch {
        // An empty or unfinished line.
      }
    }
    return undefined;
  }

  signal(containerId: string, _pid: number, signal: RuntimeSignal): boolean {
    const first = this.#firstProcess(containerId);
    if (first === undefined) return false;
    const all = descendants(first);
    // The kernel keeps signals without a handler from the first process, except those that nothing can be deaf to.
    const targets = signal === 'SIGKILL' ? [first] : signal === 'SIGSTOP' || signal === 'SIGCONT' ? [first, ...all] : all;
    let taken = false;
    for (const pid of targets) {
      try {
        process.kill(pid, signal);
        taken = true;
      } catch {
        // Gone already.
      }
    }
    return taken;
  }

  async ended(containerId: string, exitCode?: number): Promise<{ readonly outOfMemory?: boolean }> {
    const { runtime, controlGroups } = this.#options;
    const [program = '', ...own] = runtime;
    const start = this.#starting.get(containerId);
    if (start) {
      this.#look(containerId, start);
      start.ended = true;
      if (exitCode === undefined) this.#starting.delete(containerId);
    }
    if (existsSync(join(this.#state, containerId)))
      await run(program, [...own, '--root', this.#state, 'delete', '--force', containerId]).catch(() => undefined);
    const facts = (await controlGroups?.end(containerId)) ?? {};
    await removeBundle(this.#bundle(containerId));
    return { outOfMemory: facts.outOfMemory === true || (facts.limitReached === true && exitCode === processExitCode.forceKilled) };
  }

  async enter(order: ShellOrder, { main, workFolder, mark }: EnteredContainer): Promise<ShellEntry> {
    const { containerId, terminal, command } = order;
    const [program = '', ...own] = this.#options.runtime;
    // The first process waits for the script's, which has what the script sets up.
    const variables = await launchEnvironment(() => descendants(main)[0], order, this.#options.clock);
    const file = join(this.#bundle(containerId), `shell.${mark}`);
    const numberFile = `${file}.pid`;
    const { process: first } = JSON.parse(await readFile(join(this.#bundle(containerId), 'config.json'), 'utf8')) as { process: object };
    const environment = { ...variables, ...terminalVariables(variables, terminal), [shellVariable]: mark };
    const env = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    // Otherwise a terminal has no size until the runtime has seen that of its own.
    const consoleSize = terminal && { height: terminal.rows, width: terminal.columns };
    const about = { ...first, args: command, env, cwd: workFolder, terminal: terminal !== undefined, consoleSize };
    await writeFile(file, JSON.stringify(about), { mode: 0o600 });
    return {
      joins: [],
      within: [],
      environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
      workFolder: '/',
      command: [program, ...own, '--root', this.#state, 'exec', '--pid-file', numberFile, '--process', file, containerId],
      numberFile,
      cleanUp: () => Promise.all([file, numberFile].map((each) => rm(each, { force: true }))).then(() => undefined),
    };
  }

  members(containerIds: readonly string[]): ReadonlyMap<number, string> {
    const { controlGroups } = this.#options;
    return new Map(controlGroups ? containerIds.flatMap((id) => controlGroups.processes(id).map((pid) => [pid, id] as const)) : []);
  }

  close(): void {
    this.#options.controlGroups?.close();
  }

  rememberedContainers(): readonly string[] {
    return [...new Set([...readdirSync(join(this.#options.folder, 'bundles')), ...(this.#options.controlGroups?.list() ?? [])])];
  }
}

/** Everything below a process: in a container nothing can leave its first one. */
function descendants(pid: number): number[] {
  const found: number[] = [];
  const visit = (parent: number) => {
    try {
      for (const thread of readdirSync(`/proc/${parent}/task`))
        for (const text of fileText(`/proc/${parent}/task/${thread}/children`).split(' ')) {
          const child = Number(text);
          if (child > 1 && !readStat(child)?.zombie) {
            found.push(child);
            visit(child);
          }
        }
    } catch {
      // Gone meanwhile.
    }
  };
  visit(pid);
  return found;
}
