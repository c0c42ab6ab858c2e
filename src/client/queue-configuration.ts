// The queues' configuration where the cluster keeps it in a store (yarn.scheduler.configuration.store.class).
import type { QueueWhatIf } from '../wire/cluster/queue-what-if.ts';
import { many } from './cluster-client.ts';
import type { HttpClient } from './http.ts';
import { remoteFailure } from './remote-failure.ts';

const path = '/ws/v1/cluster/scheduler-conf';

/** Keys without the queue's part (`capacity`), with values; undefined takes a key away. */
export type QueueValues = Readonly<Record<string, string | undefined>>;

/** A change, all of it or nothing. Queues by their full path. */
export interface QueuesChange {
  readonly add?: ReadonlyMap<string, QueueValues>;
  readonly update?: ReadonlyMap<string, QueueValues>;
  readonly remove?: readonly string[];
  /** Whole keys. */
  readonly global?: QueueValues;
}

const entriesOf = (values: QueueValues) => ({
  entry: Object.entries(values).map(([key, value]) => (value === undefined ? { key } : { key, value })),
});
const queuesOf = (queues: ReadonlyMap<string, QueueValues> = new Map()) =>
  [...queues].map(([name, values]) => ({ 'queue-name': name, params: entriesOf(values) }));

function bodyOf({ add, update, remove, global }: QueuesChange): object {
  return {
    ...(remove?.length ? { 'remove-queue': remove } : {}),
    ...(add?.size ? { 'add-queue': queuesOf(add) } : {}),
    ...(update?.size ? { 'update-queue': queuesOf(update) } : {}),
    ...(global && Object.keys(global).length > 0 ? { 'global-updates': entriesOf(global) } : {}),
  };
}

type Properties = { readonly property?: { name: string; value: string } | { name: string; value: string }[] };
const mapOf = ({ property }: Properties): Map<string, string> => new Map(many(property).map(({ name, value }) => [name, value]));

/** Calls of the resource manager. All methods throw Unreachable and RemoteFailure. */
export class QueueConfiguration {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** Whole keys with their values. */
  async read(): Promise<Map<string, string>> {
    return mapOf(await this.#http.json<Properties>('GET', path));
  }

  async change(change: QueuesChange): Promise<void> {
    const answer = await this.#http.request('PUT', path, { body: bodyOf(change) });
    const text = await answer.text();
    if (!answer.ok) throw remoteFailure(answer, text);
  }

  /** What the queues would come to; nothing is changed. */
  async whatIf(change: QueuesChange): Promise<QueueWhatIf> {
    return this.#try(bodyOf(change));
  }

  /** The same of a whole set of keys, as files have them. */
  async whatIfAll(keys: ReadonlyMap<string, string>): Promise<QueueWhatIf> {
    return this.#try({ properties: entriesOf(Object.fromEntries(keys)) });
  }

  /** The same of a fair-scheduler.xml. */
  async whatIfAllocations(allocations: string): Promise<QueueWhatIf> {
    return this.#try({ allocations });
  }

  #try(body: object): Promise<QueueWhatIf> {
    return this.#http.json<QueueWhatIf>('POST', '/api/v1/queues/what-if', { body });
  }

  /** What the keys would be; nothing is stored. */
  async validate(change: QueuesChange): Promise<Map<string, string>> {
    return mapOf(await this.#http.json<Properties>('POST', `${path}/validate`, { body: bodyOf(change) }));
  }
}
