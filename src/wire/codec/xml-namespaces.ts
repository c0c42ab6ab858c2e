// Prefixes of XML names and what they stand for (Namespaces in XML 1.0), with the sentences of Java's reader.

const own: Readonly<Record<string, string>> = { xml: 'http://www.w3.org/XML/1998/namespace', xmlns: 'http://www.w3.org/2000/xmlns/' };

/** A colon at the beginning belongs to the name. */
const prefixOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(':', 1)));
const localOf = (name: string): string => name.slice(name.indexOf(':', 1) + 1);

/** What prefixes stand for where a document is read. */
export class Namespaces {
  /** By prefix, the innermost last. */
  readonly #bound = new Map<string, string[]>();
  #declared: string[] = [];

  /** An element begins; gives what its end takes back. */
  begin(): string[] {
    this.#declared = [];
    return this.#declared;
  }

  /** What an attribute declares, if it does; gives the fault of it. */
  declare(attribute: string, value: string): string | undefined {
    if (attribute !== 'xmlns' && prefixOf(attribute) !== 'xmlns') return undefined;
    const prefix = attribute === 'xmlns' ? '' : localOf(attribute);
    if (prefix === 'xmlns' || value === own['xmlns'])
      return 'The prefix "xmlns" cannot be bound to any namespace explicitly; neither can the namespace for "xmlns" be bound to any prefix explicitly.';
    if ((prefix === 'xml') !== (value === own['xml']))
      return 'The prefix "xml" cannot be bound to any namespace other than its usual namespace; neither can the namespace for "xml" be bound to any prefix other than "xml".';
    if (prefix !== '' && value === '')
      return `The value of the attribute "prefix="xmlns",localpart="${prefix}",rawname="${attribute}"" is invalid. Prefixed namespace bindings may not be empty.`;
    const bound = this.#bound.get(prefix);
    if (bound === undefined) this.#bound.set(prefix, [value]);
    else bound.push(value);
    this.#declared.push(prefix);
    return undefined;
  }

  /** The fault of an element whose attributes are known: a prefix that stands for nothing, an attribute that comes twice. */
  faultOf(element: string, attributes: readonly string[]): string | undefined {
    if (prefixOf(element) === 'xmlns') return `Element "${element}" cannot have "xmlns" as its prefix.`;
    if (!this.#isBound(element)) return `The prefix "${prefixOf(element)}" for element "${element}" is not bound.`;
    const seen = new Set<string>();
    const bound = new Set<string>();
    for (const attribute of attributes) {
      if (!this.#isBound(attribute))
        return `The prefix "${prefixOf(attribute)}" for attribute "${attribute}" associated with an element type "${element}" is not bound.`;
      if (seen.has(attribute)) return `Attribute "${attribute}" was already specified for element "${element}".`;
      seen.add(attribute);
      const prefix = prefixOf(attribute);
      if (prefix === '' || Object.hasOwn(own, prefix)) continue;
      const namespace = this.#namespaceOf(prefix);
      const local = localOf(attribute);
      if (bound.has(`${namespace} ${local}`))
        return `Attribute "${local}" bound to namespace "${namespace}" was already specified for element "${element}".`;
      bound.add(`${namespace} ${local}`);
    }
    return undefined;
  }

  nameOf(element: string): { name: string; namespace: string } {
    return { name: localOf(element), namespace: this.#namespaceOf(prefixOf(element)) };
  }

  /** An element has ended, with what it had declared. */
  end(declared: readonly string[]): void {
    for (const prefix of declared) this.#bound.get(prefix)?.pop();
  }

  #namespaceOf(prefix: string): string {
    return this.#bound.get(prefix)?.at(-1) ?? own[prefix] ?? '';
  }

  #isBound(name: string): boolean {
    const prefix = prefixOf(name);
    return prefix === '' || Object.hasOwn(own, prefix) || (this.#bound.get(prefix)?.length ?? 0) > 0;
  }
}
