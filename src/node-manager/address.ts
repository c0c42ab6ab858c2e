// Where a node is reached, and by which id the cluster knows it.

const hostOf = (address: string): string => address.slice(0, address.lastIndexOf(':'));
const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1));

/** The addresses of a node. A port that the settings leave to the machine (0) is known once the web interface listens. */
export class NodeAddress {
  readonly #configured: string;
  readonly #webHost: string;
  #webPort: number;
  #rpcPort: number | undefined;

  /** `configured`: yarn.nodemanager.address. `web`: yarn.nodemanager.webapp.address. Both `host:port`. */
  constructor(configured: string, web: string) {
    this.#configured = configured;
    this.#webHost = hostOf(web);
    this.#webPort = portOf(web);
  }

  /** The web interface listens on this port. Called once, before the node has containers or a connection to the resource manager. */
  listensOn(webPort: number): void {
    this.#webPort = webPort;
  }

  /** Hadoop RPC is served at this port. Called at most once, as early as `listensOn`. */
  servesAt(rpcPort: number): void {
    this.#rpcPort = rpcPort;
  }

  /** `host:port`, the node's id in the cluster (NodeId). Where it names no port and Hadoop RPC is off, it has that of the web interface. */
  get nodeId(): string {
    return `${this.host}:${this.port}`;
  }

  /** `host:port` of the web interface. */
  get http(): string {
    return `${this.#webHost}:${this.#webPort}`;
  }

  /** The host of the id. */
  get host(): string {
    return hostOf(this.#configured);
  }

  /** The port of the id. */
  get port(): number {
    return this.#rpcPort ?? (portOf(this.#configured) || this.#webPort);
  }

  /** The port of the web interface. */
  get webPort(): number {
    return this.#webPort;
  }
}
