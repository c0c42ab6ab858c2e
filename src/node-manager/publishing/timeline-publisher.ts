// Tells version 2 of the timeline what containers of this node use (NMTimelinePublisher), and, where the resource manager does not, when
// they began and ended. Calls return at once; what cannot be sent waits in a queue of a bounded length.
import type { MessageLine } from '../../client/system-metrics-publisher.ts';
import { applicationIdOfContainer } from '../../model/ids.ts';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import { containerUsedV2, nodeContainerCreatedV2, nodeContainerFinishedV2 } from '../../wire/timeline/system-entities-v2.ts';
import type { ContainerUsed } from '../../wire/timeline/system-facts.ts';
import type { EntityV2, SystemWrite } from '../../wire/timeline/v2-entity.ts';

/** What the publisher needs. */
export interface NodeTimelinePublisherOptions {
  readonly line: MessageLine<SystemWrite>;
  /** Beginnings and ends are told, too. */
  readonly tellsLives: boolean;
  /** Where the node is; `http` is `host:port` of its web interface. */
  readonly node: { readonly host: string; readonly port: number; readonly http: string };
}

/** Publishes for one node. */
export class NodeTimelinePublisher {
  readonly #options: NodeTimelinePublisherOptions;
  /** Containers whose beginning was told and whose end was not. */
  readonly #begun = new Set<string>();

  constructor(options: NodeTimelinePublisherOptions) {
    this.#options = options;
  }

  /** A container came, began to run or ended; told again it changes nothing. */
  containerChanged(report: ContainerReport): void {
    if (!this.#options.tellsLives) return;
    const { containerId } = report;
    if (!this.#begun.has(containerId)) {
      this.#begun.add(containerId);
      this.#push(containerId, this.#beginning(report));
    }
    if (report.state !== 'COMPLETE') return;
    this.#begun.delete(containerId);
    this.#push(containerId, this.#end(report));
  }

  /** What containers were found to use. */
  containersUsed(used: readonly ContainerUsed[]): void {
    this.#options.line.push(
      used.map((one) => ({ applicationId: applicationIdOfContainer(one.containerId), entities: [containerUsedV2(one)] })),
    );
  }

  #push(containerId: string, entity: EntityV2): void {
    this.#options.line.push([{ applicationId: applicationIdOfContainer(containerId), entities: [entity] }]);
  }

  #beginning({ containerId, createdTime, resource, priority }: ContainerReport): EntityV2 {
    const { host, port, http } = this.#options.node;
    return nodeContainerCreatedV2({
      containerId,
      attemptId: '',
      createdTimeMs: createdTime,
      memoryMiB: resource.memoryMiB,
      vcores: resource.vcores,
      host,
      port,
      priority,
      nodeHttpAddress: http,
    });
  }

  #end({ containerId, createdTime, finishedTime, diagnostics, exitCode }: ContainerReport): EntityV2 {
    const { host, port } = this.#options.node;
    return nodeContainerFinishedV2({
      containerId,
      attemptId: '',
      finishedTimeMs: finishedTime ?? createdTime,
      diagnostics,
      exitStatus: exitCode,
      state: 'COMPLETE',
      host,
      port,
    });
  }
}
