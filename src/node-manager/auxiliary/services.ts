// The auxiliary services of a node: those of the settings, and those that a manifest names.
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { Closer } from '../../lib/closer.ts';
import type { Logger } from '../../lib/log.ts';
import { failure } from '../../model/errors.ts';
import type { ContainerStart } from '../../wire/cluster/container-messages.ts';
import type { AuxiliaryBean, AuxiliaryContext, AuxiliaryService } from './service.ts';

/** A service by manifest, as `GET /ws/v1/node/auxiliaryservices` shows it. */
export interface ManifestService {
  readonly name: string;
  readonly version: string | undefined;
  readonly startTimeMs: number;
}

/** What a manifest asks for. */
export interface ManifestRequest {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly className: string | undefined;
}

/** What the services need. */
export interface AuxiliaryOptions {
  /** What is plugged in. */
  readonly available: readonly AuxiliaryService[];
  /** Names of `yarn.nodemanager.aux-services`, with the Java classes that the settings say they stand for. */
  readonly names: readonly { readonly name: string; readonly className: string | undefined }[];
  readonly folder: string;
  readonly context: Omit<AuxiliaryContext, 'folder'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Starts, stops and reloads the services, and says which there are. */
export class AuxiliaryServices {
  readonly #options: AuxiliaryOptions;
  /** By the name of the settings, which is not always the service's own. */
  readonly #running = new Map<string, AuxiliaryService>();
  #manifest: readonly ManifestService[] = [];

  constructor(options: AuxiliaryOptions) {
    this.#options = options;
  }

  /**
   * Starts the services of the settings, in their order: those of their classes, without a class those of their names. A name without a
   * service is logged once and left out. @throws what a service throws; those before it run until `stop`
   */
  async start(): Promise<void> {
    const { names, available, logger, context, folder } = this.#options;
    for (const { name, className } of names) {
      const service = available.find((candidate) =>
        className === undefined ? candidate.name === name : candidate.classNames?.includes(className),
      );
      if (!service) {
        const said = { service: name, className };
        if (className !== undefined && doneElsewhere.has(className))
          logger.info(said, 'what this auxiliary service does is done without it');
        else logger.warn(said, 'this auxiliary service is not available here: containers that bring data for it are not started');
        continue;
      }
      if (![...this.#running.values()].includes(service)) await service.start({ ...context, folder: join(folder, service.name) });
      this.#running.set(name, service);
    }
  }

  /** Stops the services that have started, last to first, all of them; the first failure is reported then. */
  async stop(): Promise<void> {
    const closer = new Closer();
    for (const service of new Set(this.#running.values())) closer.add(`auxiliary service ${service.name}`, () => service.stop?.());
    this.#running.clear();
    await closer.close();
  }

  /** A running service by its name in the settings, or its own. */
  find(name: string): AuxiliaryService | undefined {
    return this.#running.get(name) ?? [...this.#running.values()].find((service) => service.name === name);
  }

  /** What monitors see of the running services. */
  beans(): AuxiliaryBean[] {
    return [...new Set(this.#running.values())].flatMap((service) => service.beans?.() ?? []);
  }

  /** Variables' data for containers, by the names of the settings. */
  metadata(): Map<string, Buffer> {
    return new Map([...this.#running].flatMap(([name, service]) => (service.metadata ? [[name, service.metadata()]] : [])));
  }

  /** Why a container that brings these data is not started: the first service that is not there; undefined where all are. */
  missing(serviceData: Readonly<Record<string, string>>): string | undefined {
    const name = Object.keys(serviceData).find((wanted) => !this.find(wanted));
    return name === undefined ? undefined : serviceMissing(name);
  }

  /** A container arrived. A service hears of the application's first one, and of each that brings data for it. */
  containerArrived(order: ContainerStart, first: boolean): void {
    const { serviceData } = order.launch;
    for (const [name, service] of this.#running) {
      const data = serviceData[name] ?? serviceData[service.name];
      if (data === undefined && !first) continue;
      service.applicationStarted?.({
        applicationId: order.applicationId,
        user: order.user,
        data: data === undefined ? undefined : Buffer.from(data, 'base64'),
      });
    }
  }

  applicationEnded(applicationId: string): void {
    for (const service of new Set(this.#running.values())) service.applicationEnded?.(applicationId);
  }

  /** Services by manifest, in its order. */
  get manifest(): readonly ManifestService[] {
    return this.#manifest;
  }

  /** Replaces the services by manifest: same name and version stay, others start and stop. @throws Failure, and then nothing changes. */
  loadManifest(requests: readonly ManifestRequest[]): void {
    const known = new Set(this.#options.available.flatMap((service) => service.classNames ?? []).concat(wellKnownClasses));
    const next: ManifestService[] = [];
    for (const { name, version, className } of requests) {
      if (name === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
        throw failure('NODE_SERVICE_NAME_INVALID', { name: String(name ?? null) });
      if (className === undefined || !known.has(className))
        throw failure('NODE_SERVICE_CLASS_UNKNOWN', { className: String(className ?? null) });
      const before = this.#manifest.find((service) => service.name === name && service.version === version);
      next.push(before ?? { name, version, startTimeMs: this.#options.clock.now() });
    }
    this.#manifest = next;
  }
}

/** What is said of a service that is not there: Hadoop's sentence, and what to do about those that need the virtual machine of its node manager. */
export function serviceMissing(name: string): string {
  const sentence = `The auxService:${name} does not exist`;
  const remedy = remedies.find(([names]) => names.test(name))?.[1];
  return remedy === undefined ? sentence : `${sentence}: ${remedy}`;
}

const remedies: readonly (readonly [names: RegExp, remedy: string])[] = [
  [
    /^spark\d*_shuffle$/,
    "Spark's external shuffle service needs Hadoop's own node manager. Set spark.shuffle.service.enabled=false; dynamic allocation works with spark.dynamicAllocation.shuffleTracking.enabled=true.",
  ],
  [/^tez_shuffle$/, "Tez's own handler needs Hadoop's own node manager. Set tez.am.shuffle.auxiliary-service.id=mapreduce_shuffle."],
];

/** Services of Hadoop's node managers for what is in its servers here. */
const doneElsewhere: ReadonlySet<string> = new Set([
  'org.apache.hadoop.yarn.server.timelineservice.collector.PerNodeTimelineCollectorsAuxService',
]);

/** Hadoop's own services; what they do for Heddle's applications is done without them. */
const wellKnownClasses = ['org.apache.hadoop.mapred.ShuffleHandler'];
