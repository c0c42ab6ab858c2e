// `/container/{id}[/{command}]`: web sockets with a shell behind (ContainerShellWebSocketServlet, `yarn container -shell`, `heddle container exec`).
import { type WebSocket, WebSocketServer } from 'ws';
import type { Service } from '../../http/service.ts';
import { mostFragments } from '../../lib/reliable-channel.ts';
import { failure } from '../../model/errors.ts';
import { longestShellMessage, shellProtocol } from '../../wire/node/shell.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import type { ShellStart } from '../shells/shell-session.ts';
import type { ContainerShells } from '../shells/shells.ts';
import { keptContainerId } from './container-ids.ts';

/** Shells that Hadoop's client may ask for (ShellContainerCommand); it gets the first one for all others. */
const hadoopShells = ['bash', 'sh'];
/** It tells nothing of its terminal. */
const hadoopTerminal = { rows: 24, columns: 80, type: 'xterm' };

/** What Hadoop's client wants by its path. */
const hadoopStart = (command: string | undefined): ShellStart => ({
  command: [hadoopShells.find((name) => name === command?.toLowerCase()) ?? hadoopShells[0]!],
  terminal: hadoopTerminal,
});

/** Adds the path. Closing it ends no shell: that is done by who has them. */
export function addShellUpgrades(
  service: Pick<Service, 'upgrade'>,
  { manager, shells }: { readonly manager: Pick<ContainerManager, 'containers'>; readonly shells: ContainerShells },
): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: longestShellMessage,
    maxFragments: mostFragments,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has(shellProtocol) && shellProtocol,
  });
  service.upgrade({
    path: '/container/',
    about: 'A shell in a running container.',
    access: 'owner',
    authentication: 'required',
    handle({ path, caller, request }, socket, head) {
      const [, , id = '', command] = path.split('/');
      const container = manager.containers.get(keptContainerId(id));
      if (!container || !caller) throw failure('NODE_CONTAINER_NOT_FOUND', { id });
      sockets.handleUpgrade(request, socket, head, (opened: WebSocket) =>
        shells.serve(opened, caller, container, opened.protocol === shellProtocol ? undefined : hadoopStart(command)),
      );
    },
  });
}
