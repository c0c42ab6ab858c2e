// `heddle container exec`: a command in a running container, with the terminal where there is one.
import type { ContainerShell } from '../client/container-shell.ts';
import { type Connection, connect, talk } from './connection.ts';
import { applicationOf, containersOf } from './containers.ts';
import { setExitCode } from './exit-code.ts';
import { CommandFailure } from './failure.ts';
import type { ClusterFlags } from './options.ts';

/** Options of the command. */
export interface ExecFlags extends ClusterFlags {
  /** False: no terminal, though there is one. */
  readonly terminal?: boolean;
}

/** Runs the command, passes on input and output, and ends with its exit code. */
export async function exec(id: string, command: readonly string[], flags: ExecFlags): Promise<void> {
  const application = applicationOf(id);
  const connection = connect(flags);
  const { stdin, stdout, stderr } = process;
  const isTerminal = flags.terminal !== false && stdin.isTTY === true && stdout.isTTY === true;
  const { rows, columns } = stdout;
  const terminal = isTerminal ? { rows: rows || 24, columns: columns || 80, type: process.env['TERM'] || 'xterm' } : undefined;
  const { ContainerShell, ShellClosed } = await import('../client/container-shell.ts');
  const shell = await talk(async () =>
    ContainerShell.open({
      ...{ url: await nodeOf(connection, application, id), containerId: id, command, terminal, ...connection.credentials },
      write: (stream, bytes) =>
        new Promise((resolve) => {
          (stream === 'errors' ? stderr : stdout).write(bytes, resolve);
        }),
    }),
  );
  const resize = () => shell.resize(stdout.rows, stdout.columns);
  if (isTerminal) {
    stdin.setRawMode(true);
    stdout.on('resize', resize);
  }
  void passInput(shell, stdin);
  try {
    setExitCode(await shell.ended);
  } catch (error) {
    if (!(error instanceof ShellClosed)) throw error;
    throw new CommandFailure(`${id}: ${error.message}`, await remedyOf(error.message, connection, application));
  } finally {
    stdout.off('resize', resize);
    if (isTerminal) stdin.setRawMode(false);
    stdin.destroy();
  }
}

/** What helps against a refusal: who may, where it is known whose the application is. */
export async function remedyOf(reason: string, { cluster }: Pick<Connection, 'cluster'>, application: string): Promise<string | undefined> {
  if (reason !== 'Forbidden') return undefined;
  const owner = await cluster.application(application).then(
    ({ user }) => user,
    () => undefined,
  );
  const act = owner ? `act as ${owner} with --user ${owner}` : 'act as them with --user NAME';
  return `Shells are for the owner of the application, and where yarn.acl.enable is on for administrators, too; ${act}.`;
}

async function passInput(shell: ContainerShell, input: NodeJS.ReadableStream): Promise<void> {
  try {
    for await (const bytes of input) await shell.send(bytes as Buffer);
    shell.endInput();
  } catch {
    // Closed as the command ended.
  }
}

/** Base URL of the node that the container runs on. @throws CommandFailure where it does not run */
export async function nodeOf(connection: Connection, application: string, id: string): Promise<string> {
  const found = (await containersOf(connection, application, false)).find((container) => container.id === id);
  if (!found?.nodeId) throw new CommandFailure(`${id} does not run`, `"heddle app containers ${application}" shows those that run.`);
  const { nodeHTTPAddress, state } = await connection.cluster.node(found.nodeId);
  if (!nodeHTTPAddress)
    throw new CommandFailure(`${found.nodeId} is ${state}: it cannot be asked`, '"heddle node list --all" shows the nodes.');
  return `${new URL(connection.resourceManagerUrl).protocol}//${nodeHTTPAddress}`;
}
