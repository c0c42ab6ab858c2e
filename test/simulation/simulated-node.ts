// A machine with a node manager, without processes of its own. What the node manager recorded survives its death, the containers go on without
// it, and their exit codes are kept for it; what it had not recorded is gone, and what runs unrecorded is ended by the next one. A machine
// that is lost comes back without its containers, with or without its memory.
import type { Timer } from '../../src/lib/clock.ts';
import { exitStatus } from '../../src/model/exit-status.ts';
import type { NodeCommand, NodeMessage } from '../../src/wire/cluster/node-channel.ts';
import type { Moment } from './crash-points.ts';
import { Link } from './link.ts';
import type { NodePorts } from './node-ports.ts';
import { completeReport, type Order, ordered, reportOf, type SimulatedContainer } from './simulated-container.ts';

const heartbeatMs = 8000;
const noUsage = { physicalMemoryMiB: 0, virtualMemoryMiB: 0, cpuCores: 0 };
const usual = { memoryMiB: 4096, vcores: 8 };

export class SimulatedNode {
  readonly id: string;
  readonly containers = new Map<string, SimulatedContainer>();
  /** With whether their end was ordered. */
  readonly applications = new Map<string, { isFinishing: boolean }>();
  readonly link: Link;
  isAlive = false;
  healthy = true;
  /** It does not come back. */
  isGone = false;
  /** How many ended containers of an application it lists. */
  mostEnded: number;
  readonly #ports: NodePorts;
  /** Applications whose logs it has gathered; told again when it was taken up. */
  readonly #gathered = new Set<string>();
  /** Containers of applications that are there, of which only their end is remembered. */
  readonly #past = new Map<string, { readonly applicationId: string; readonly exitCode: number }>();
  /** Applications that are over and gone from here. */
  readonly #over = new Set<string>();
  #listed: readonly string[] = [];
  /** Says nothing before it registers again. */
  #pause: Timer | undefined;
  #life = 0;
  /** How often it lost what it remembered. */
  #losses = 0;
  #isHushed = false;

  constructor(id: string, ports: NodePorts) {
    this.id = id;
    this.#ports = ports;
    this.mostEnded = ports.habits.mostEnded;
    const rack = `/r${Number(id[1]) % 2}`;
    this.link = new Link({ ...ports, node: { rack, began: () => this.#register(), take: (command) => this.#take(command) } });
  }

  get #memory(): string {
    return `${this.id} ${this.#losses}`;
  }

  get isRefused(): boolean {
    return this.#pause !== undefined;
  }

  // ---- by the hand of a test

  /** Begins a new session; what the former one had not delivered is lost. */
  register(): void {
    this.link.introduce();
  }
  /** Hears up to `limit` of its commands. */
  hear(limit = 1000): void {
    this.link.deliver('node', limit);
  }
  /** Is heard with up to `limit` of its messages. */
  speak(limit = 1000): void {
    this.link.deliver('manager', limit);
  }

  // ---- the node manager

  /** Its process begins, on what the one before recorded. */
  start(): void {
    if (this.isAlive || this.isGone) return;
    this.#ports.trace(() => 'begins');
    this.isAlive = true;
    this.#life++;
    this.#beat();
    for (const container of [...this.containers.values()]) this.#recover(container);
    this.link.open();
    for (const [id, { isFinishing }] of this.applications) if (isFinishing) this.#endContainers(id);
  }

  #recover(container: SimulatedContainer): void {
    if (!container.isRecorded) {
      this.containers.delete(container.id);
      this.#processesGone(container);
    } else if (container.isGone) container.state = 'COMPLETE';
    else if (!container.isLaunched) this.#launchSoon(container);
  }

  /** Says no more how it is: for the end, in which nobody listens. */
  hush(): void {
    this.#isHushed = true;
  }

  /** Says how it is, again and again. */
  #beat(): void {
    this.#later(heartbeatMs, () => {
      if (this.#isHushed) return;
      if (this.link.isConnected) this.#say({ type: 'usage', node: noUsage, containers: noUsage, runningContainers: 0 });
      this.#beat();
    });
  }

  /** Kill -9 of the node manager: its containers go on. */
  kill(): void {
    if (!this.isAlive) return;
    this.#ports.trace(() => 'dies');
    this.isAlive = false;
    this.#pause?.cancel();
    this.#pause = undefined;
    this.link.close();
    for (const container of [...this.containers.values()])
      if (!container.isRecorded && !container.isLaunched) this.containers.delete(container.id);
    this.#ports.died();
  }

  /** The machine is gone, and everything that ran on it. It may come back with what was recorded. */
  lose(keepsMemory: boolean): void {
    for (const container of this.containers.values()) {
      if (container.isLaunched && !container.isGone) container.exitCode = exitStatus.aborted;
      if (container.isLaunched) this.#processesGone(container);
    }
    if (!keepsMemory) this.#forget();
    this.kill();
  }

  #forget(): void {
    this.#losses++;
    this.containers.clear();
    this.applications.clear();
    this.#gathered.clear();
    this.#over.clear();
    this.#past.clear();
  }

  /** The node leaves for good, saying so; without recovery: should it come again, it knows nothing. */
  leave(): void {
    for (const container of this.containers.values()) this.complete(container, exitStatus.aborted);
    this.#say({ type: 'shutdown' });
    this.#forget();
    if (this.isAlive) this.kill();
  }

  health(healthy: boolean): void {
    this.healthy = healthy;
    this.#say({ type: 'health', healthy, report: healthy ? '' : 'disk', time: this.#ports.clock.now() });
  }

  /** False: it died there. */
  #reach(effect: string, moment: Moment): boolean {
    if (this.isAlive && this.#ports.reached(effect, moment)) this.kill();
    return this.isAlive;
  }

  /** Runs in this life of the node manager only. */
  #later(ms: number, run: () => void): Timer {
    const life = this.#life;
    return this.#ports.clock.setTimer(ms, () => {
      if (this.isAlive && this.#life === life) run();
    });
  }

  // ---- what it says

  #say(message: NodeMessage): void {
    if (this.#pause === undefined && this.isAlive) this.link.send(message);
  }

  #register(): void {
    this.#pause?.cancel();
    this.#pause = undefined;
    this.#listed = [...this.applications.keys()];
    this.#say({
      type: 'register',
      nodeId: this.id,
      memory: this.#memory,
      httpAddress: `${this.id.split(':')[0]}:8042`,
      rack: '/default-rack',
      resource: usual,
      version: '1',
      physicalMemoryMiB: 8192,
      physicalCores: 8,
      opportunisticQueueLength: 3,
      containers: [...this.containers.values()].map(reportOf),
      applications: [...this.#listed],
      health: { healthy: this.healthy, report: '', time: this.#ports.clock.now() },
    });
  }

  #report(container: SimulatedContainer): void {
    if (!this.#reach('report', 'before')) return;
    this.#say({ type: 'containers', reports: [reportOf(container)] });
    this.#reach('report', 'after');
  }

  // ---- what it is told

  #take(command: NodeCommand): void {
    const effect = `take ${command.type}`;
    if (!this.isAlive || !this.#reach(effect, 'before')) return;
    this.#obey(command);
    this.#reach(effect, 'after');
  }

  #obey(command: NodeCommand): void {
    switch (command.type) {
      case 'registered': {
        const kept = new Set(command.keepApplications);
        for (const id of this.#listed) if (!kept.has(id)) this.#finish(id);
        for (const applicationId of this.#gathered) this.#sayGathered(applicationId);
        return;
      }
      case 'startContainers':
        for (const order of command.containers) this.order(order);
        return;
      case 'stopContainers':
        for (const { containerId, exitCode } of command.containers) this.#stop(containerId, exitCode);
        return;
      case 'updateContainers':
        for (const { containerId, executionType, resource } of command.containers) {
          const container = this.containers.get(containerId);
          if (container && executionType) container.executionType = executionType;
          if (container && resource) container.resource = resource;
        }
        return;
      case 'finishApplications':
        for (const id of command.applicationIds) this.#finish(id);
        return;
      case 'refuse':
        // It ends its containers, and asks again after a while.
        for (const container of this.containers.values()) if (this.isAlive) this.complete(container, exitStatus.aborted);
        this.#pause ??= this.#later(5000, () => this.#register());
        return;
      case 'resync':
        return this.#register();
      default:
    }
  }

  /** An order to start a container, of the resource manager or of a master that shows its token. */
  order(order: Order): void {
    if (!this.isAlive || this.containers.has(order.containerId)) return;
    // What it has forgotten may have run (P5).
    if (order.nodeMemory !== undefined && order.nodeMemory !== this.#memory) return;
    const past = this.#past.get(order.containerId);
    if (past) return this.#say({ type: 'containers', reports: [completeReport(order.containerId, past.exitCode)] });
    const container = ordered(order, this.#ports.clock.now());
    if (this.applications.get(order.applicationId)?.isFinishing || this.#over.has(order.applicationId)) {
      container.state = 'COMPLETE';
      return this.#report(container);
    }
    if (!this.#reach('record start', 'before')) return;
    if (!this.applications.has(order.applicationId)) this.applications.set(order.applicationId, { isFinishing: false });
    this.containers.set(container.id, container);
    container.isRecorded = true;
    if (!this.#reach('record start', 'after')) return;
    if (order.isMaster && this.#ports.habits.startMs() === undefined) this.run(container);
    else this.#launchSoon(container);
  }

  #launchSoon(container: SimulatedContainer): void {
    const ms = this.#ports.habits.startMs();
    if (ms !== undefined) this.#later(ms, () => this.run(container));
    else if (container.executionType === 'OPPORTUNISTIC') this.#report(container);
  }

  /** Its processes begin. */
  run(container: SimulatedContainer): void {
    if (!this.isAlive || container.state !== 'NEW' || container.isGone || !this.#reach('launch', 'before')) return;
    container.isLaunched = true;
    container.state = 'RUNNING';
    this.#ports.launched(container);
    const run = this.#ports.habits.runMs(container);
    // They end whether or not a node manager is there.
    if (run) this.#ports.clock.setTimer(run.ms, () => this.exit(container, run.exitCode));
    if (this.#reach('launch', 'after')) this.#report(container);
  }

  /** Its processes end by themselves. */
  exit(container: SimulatedContainer, exitCode: number): void {
    if (!container.isLaunched || container.isGone) return;
    container.exitCode = exitCode;
    this.#processesGone(container);
    if (this.isAlive && this.containers.get(container.id) === container) this.#ended(container);
  }

  /** It ends now, whatever it is doing. */
  complete(container: SimulatedContainer, exitCode: number): void {
    if (container.state === 'COMPLETE' || !this.isAlive) return;
    if (!container.isGone) container.exitCode = exitCode;
    this.#processesGone(container);
    this.#ended(container);
  }

  #ended(container: SimulatedContainer): void {
    if (container.state === 'COMPLETE' || !this.#reach('record end', 'before')) return;
    container.state = 'COMPLETE';
    if (!this.#reach('record end', 'after')) return;
    this.#report(container);
    this.#forgetOldest(container.applicationId);
    const application = this.applications.get(container.applicationId);
    if (application?.isFinishing) this.#forgetWhenEnded(container.applicationId);
  }

  /** Of more than so many ended ones of an application it only remembers how they ended. */
  #forgetOldest(applicationId: string): void {
    const ended = [...this.containers.values()].filter((each) => each.applicationId === applicationId && each.state === 'COMPLETE');
    for (const { id, exitCode } of ended.slice(0, -this.mostEnded)) {
      this.containers.delete(id);
      this.#past.set(id, { applicationId, exitCode });
    }
  }

  #processesGone(container: SimulatedContainer): void {
    if (container.isGone) return;
    container.isGone = true;
    if (container.isLaunched) this.#ports.gone(container);
  }

  #stop(containerId: string, exitCode: number): void {
    const container = this.containers.get(containerId);
    if (!container) {
      this.#say({ type: 'containers', reports: [completeReport(containerId, this.#past.get(containerId)?.exitCode ?? exitCode)] });
      return;
    }
    if (container.state === 'COMPLETE' || !this.#reach('record stop', 'before')) return;
    if (!container.isLaunched) return this.complete(container, exitCode);
    const ms = this.#ports.habits.stopMs();
    if (ms === 0) this.complete(container, exitCode);
    else this.#ports.clock.setTimer(ms, () => this.exit(container, exitCode));
    this.#reach('record stop', 'after');
  }

  #finish(applicationId: string): void {
    const application = this.applications.get(applicationId);
    if (!application || application.isFinishing) return;
    application.isFinishing = true;
    this.#endContainers(applicationId);
  }

  #endContainers(applicationId: string): void {
    for (const container of [...this.containers.values()])
      if (container.applicationId === applicationId && this.isAlive) this.#stop(container.id, exitStatus.killedAfterApplicationEnd);
    this.#forgetWhenEnded(applicationId);
  }

  #forgetWhenEnded(applicationId: string): void {
    if (!this.isAlive) return;
    const own = [...this.containers.values()].filter((container) => container.applicationId === applicationId);
    if (!this.applications.has(applicationId) || own.some(({ state }) => state !== 'COMPLETE')) return;
    for (const { id } of own) this.containers.delete(id);
    for (const [id, past] of this.#past) if (past.applicationId === applicationId) this.#past.delete(id);
    this.applications.delete(applicationId);
    this.#over.add(applicationId);
    this.#gathered.add(applicationId);
    this.#sayGathered(applicationId);
  }

  #sayGathered(applicationId: string): void {
    this.#say({ type: 'logAggregation', applicationId, status: 'SUCCEEDED', diagnostics: '' });
  }
}
