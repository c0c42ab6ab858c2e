// Every command, bound to its ports: what the doors (REST, the master protocol, RPC) are given to change anything.
import { type KillPorts, kill } from './kill.ts';
import { type MovePorts, move } from './move.ts';
import { type NewApplicationPorts, newApplication } from './new-application.ts';
import { type SetLifetimePorts, setLifetime } from './set-lifetime.ts';
import { type SetPriorityPorts, setPriority } from './set-priority.ts';
import { type SignalPorts, signal } from './signal.ts';
import { type SubmitPorts, submit } from './submit.ts';

/** The ports of all commands. */
export interface CommandPorts {
  readonly newApplication: NewApplicationPorts;
  readonly submit: SubmitPorts;
  readonly kill: KillPorts;
  readonly move: MovePorts;
  readonly setPriority: SetPriorityPorts;
  readonly setLifetime: SetLifetimePorts;
  readonly signal: SignalPorts;
}

/** A command without its ports. */
const bound =
  <Ports, Given extends unknown[], Result>(command: (ports: Ports, ...given: Given) => Result, ports: Ports) =>
  (...given: Given): Result =>
    command(ports, ...given);

/** The commands of one resource manager. */
export const bindCommands = (ports: CommandPorts) => ({
  newApplication: bound(newApplication, ports.newApplication),
  submit: bound(submit, ports.submit),
  kill: bound(kill, ports.kill),
  move: bound(move, ports.move),
  setPriority: bound(setPriority, ports.setPriority),
  setLifetime: bound(setLifetime, ports.setLifetime),
  signal: bound(signal, ports.signal),
});

/** What a door may call. */
export type Commands = ReturnType<typeof bindCommands>;
