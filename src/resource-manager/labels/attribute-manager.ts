// Attributes of nodes that an administrator gave (NodeAttributesManagerImpl): by host, prefix `rm.yarn.io`, durable before they are
// answered. Attributes that nodes tell of themselves (`nm.yarn.io`) are the nodes' own.
import { fields, many, text } from '../../lib/json-shape.ts';
import { changeEntry, type ReversibleChange, storedOrUndone } from '../../lib/reversible-change.ts';
import { Failure, failure } from '../../model/errors.ts';
import type { NodeAttribute } from '../nodes/node.ts';
import { storedJson } from '../store/stored-json.ts';
import type { LabelStore } from './label-manager.ts';

/** Prefix of what administrators give. */
export const centralPrefix = 'rm.yarn.io';
/** Prefix of what nodes say of themselves. */
export const distributedPrefix = 'nm.yarn.io';

/** An attribute in a change; only its name counts where it is removed. */
export interface AttributeChange {
  readonly name: string;
  readonly type?: string;
  readonly value?: string;
}

export type AttributeOperation = 'replace' | 'add' | 'remove';

/** What the manager works with. */
export interface AttributeManagerOptions {
  readonly store: LabelStore;
  /** Attributes of these hosts changed. */
  readonly changed: (hosts: ReadonlySet<string>) => void;
}

/** Under which kind the store has them, by host. */
export const attributesKind = 'node-attributes';
export const storedAttributes = many(fields({ prefix: text(), name: text(), type: text(), value: text() }));
const pieceForm = /^[0-9a-zA-Z][0-9a-zA-Z\-_.]*$/;
const longestPiece = 255;
const refuse = (reason: string) => failure('NODE_ATTRIBUTES_REFUSED', { reason });

const notStored = (error: unknown) => (error instanceof Failure ? error : failure('UNAVAILABLE', { what: 'The store of node attributes' }));

/** The given attributes. A change counts at once and resolves when it is durable; one that cannot be stored is taken back. */
export class AttributeManager {
  readonly #options: AttributeManagerOptions;
  readonly #byHost = new Map<string, ReadonlyMap<string, NodeAttribute>>();

  constructor(options: AttributeManagerOptions) {
    this.#options = options;
    for (const [host, written] of options.store.records(attributesKind)) {
      const attributes = storedJson(storedAttributes, written, `the record of the attributes of ${host}`);
      this.#byHost.set(host, new Map(attributes.map((attribute) => [attribute.name, attribute])));
    }
  }

  /** Those of a host. */
  of(host: string): readonly NodeAttribute[] {
    return [...(this.#byHost.get(host)?.values() ?? [])];
  }

  /** Hosts that have some, or had: a host whose last attribute was taken is still listed, without any (NodeAttributesManagerImpl). */
  hosts(): Iterable<string> {
    return this.#byHost.keys();
  }

  /** Changes attributes of hosts, all or nothing. @throws Failure NODE_ATTRIBUTES_REFUSED */
  async map(operation: AttributeOperation, wanted: ReadonlyMap<string, readonly AttributeChange[]>): Promise<void> {
    const next = new Map<string, Map<string, NodeAttribute>>();
    for (const [host, changes] of wanted) {
      const attributes = new Map(operation === 'replace' ? [] : this.#byHost.get(host));
      for (const { name, type = 'STRING', value = '' } of changes) {
        const plain = name.startsWith(`${centralPrefix}/`) ? name.slice(centralPrefix.length + 1) : name;
        check('name', plain);
        if (operation === 'remove') {
          if (!attributes.delete(plain))
            throw refuse(`Node attribute [Prefix-${centralPrefix} :Name-${plain}] doesn't exist on node ${host}`);
          continue;
        }
        if (type !== 'STRING') throw refuse(`Attribute ${plain} cannot be of type ${type}: it must be STRING`);
        if (value !== '') check('value', value);
        attributes.set(plain, { prefix: centralPrefix, name: plain, type, value });
      }
      next.set(host, attributes);
    }
    const { store, changed } = this.#options;
    const tell = () => changed(new Set(next.keys()));
    const changes: ReversibleChange[] = [{ undo: tell }];
    const durable: Promise<void>[] = [];
    for (const [host, attributes] of next) {
      changes.push(changeEntry(this.#byHost, host, attributes));
      durable.push(store.putRecord(attributesKind, host, JSON.stringify([...attributes.values()])));
    }
    tell();
    await storedOrUndone(durable, changes, notStored);
  }
}

function check(what: 'name' | 'value', text: string): void {
  if (text === '' || text.length > longestPiece) throw refuse(`attribute ${what} added is empty or exceeds ${longestPiece} character(s)`);
  if (!pieceForm.test(text))
    throw refuse(`attribute ${what} should only contains {0-9, a-z, A-Z, -, _} and should not started with {-,_}, now it is= ${text}`);
}
