// Types of Python for the schemas of an interface: a TypedDict for each kind of object.

/** What this reads of JSON Schema; anything else in a schema bounds a value and is no type. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}

const keywords: ReadonlySet<string> = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
/** Whether a name may be an attribute or a parameter. */
export const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text) && !keywords.has(text);
/** A text as Python writes it. */
export const literal = (text: string): string => JSON.stringify(text);

const capital = (name: string): string =>
  name.replace(/(^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_all, _gap, letter: string) => letter.toUpperCase());
const one = (name: string): string => {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  return name.endsWith('s') && !name.endsWith('ss') && !name.endsWith('us') ? name.slice(0, -1) : name;
};

const scalars: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };

/** Collects the types that signatures refer to. */
export class PythonTypes {
  readonly #components: Readonly<Record<string, Schema>>;
  /** Other names for components. */
  readonly #renamed: Readonly<Record<string, string>>;
  readonly #declared = new Map<string, string>();
  /** Names by what they stand for: equal objects share a type. */
  readonly #known = new Map<string, string>();
  readonly #references = new Map<string, string>();

  constructor(components: Readonly<Record<string, Schema>>, renamed: Readonly<Record<string, string>> = {}) {
    this.#components = components;
    this.#renamed = renamed;
  }

  /** The type of a schema, within the module of types; `name` is for objects that have none. */
  of(schema: Schema, name: string): string {
    const { $ref, anyOf, type } = schema;
    if ($ref !== undefined) return this.#component($ref.slice($ref.lastIndexOf('/') + 1));
    if (anyOf) return this.#union(anyOf, name);
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    if (type === 'array') return `List[${schema.items ? this.of(schema.items, one(name)) : 'Any'}]`;
    if (type === 'object') return this.#object(schema, name);
    return scalars[type ?? ''] ?? 'Any';
  }

  /** The module. */
  module(): string {
    const body = [...this.#declared.values()].join('\n\n');
    return `"""What requests and answers hold. Written by scripts/write-python-client.ts; do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


${body}`;
  }

  #component(name: string): string {
    const known = this.#references.get(name);
    if (known !== undefined) return known;
    const schema = this.#components[name];
    if (!schema) throw new Error(`the description has no schema ${name}`);
    const own = this.#free(this.#renamed[name] ?? name);
    this.#references.set(name, own);
    this.#declared.set(own, '');
    const type = this.#named(schema, own);
    // An alias: after what it names, which refers to it by its name in quotation marks.
    this.#declared.delete(own);
    if (type !== own) this.#declared.set(own, `${own} = ${type}\n`);
    else this.#declared.set(own, this.#class(schema, own));
    return own;
  }

  /** The type of a component: its own name where it is an object. */
  #named(schema: Schema, own: string): string {
    if (schema.type === 'object' && isRecord(schema)) return own;
    return this.of(schema, `${own}Of`);
  }

  #union(schemas: readonly Schema[], name: string): string {
    const types = [...new Set(schemas.map((schema) => this.of(schema, name)))];
    return types.length === 1 ? types[0]! : `Union[${types.map(quoted).join(', ')}]`;
  }

  #object(schema: Schema, name: string): string {
    const rest = schema.additionalProperties;
    if (!isRecord(schema)) return `Dict[str, ${typeof rest === 'object' ? this.of(rest, `${name}Value`) : 'Any'}]`;
    const key = JSON.stringify(schema);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const own = this.#free(name);
    this.#known.set(key, own);
    this.#declared.set(own, '');
    const text = this.#class(schema, own);
    // After the types of its members.
    this.#declared.delete(own);
    this.#declared.set(own, text);
    return own;
  }

  #free(wanted: string): string {
    const name = capital(wanted);
    let free = name;
    for (let number = 2; this.#declared.has(free); number++) free = `${name}${number}`;
    return free;
  }

  #class(schema: Schema, own: string): string {
    const required = new Set(schema.required ?? []);
    const members = Object.entries(schema.properties ?? {}).map(([name, inner]) => ({
      name,
      type: this.of(inner, `${own}-${name}`),
      isRequired: required.has(name),
    }));
    const always = members.filter(({ isRequired }) => isRequired);
    const sometimes = members.filter(({ isRequired }) => !isRequired);
    if (sometimes.length === 0) return declaration(own, always, true);
    if (always.length === 0) return declaration(own, sometimes, false);
    const [first, second] = [`_${own}Always`, `_${own}Sometimes`];
    return `${declaration(first, always, true)}\n\n${declaration(second, sometimes, false)}\n\nclass ${own}(${first}, ${second}):\n    pass\n`;
  }
}

/** An object with members of its own; others hold anything by its name. */
const isRecord = ({ properties }: Schema): boolean => Object.keys(properties ?? {}).length > 0;

const quoted = (type: string): string => (/^\w+$/.test(type) && !/^(str|int|float|bool|None|Any)$/.test(type) ? literal(type) : type);

function declaration(own: string, members: readonly { readonly name: string; readonly type: string }[], total: boolean): string {
  if (members.every(({ name }) => isName(name)))
    return `class ${own}(TypedDict${total ? '' : ', total=False'}):\n${members.map(({ name, type }) => `    ${name}: ${type}\n`).join('')}`;
  const entries = members.map(({ name, type }) => `        ${literal(name)}: ${literal(type.replaceAll('"', "'"))},\n`).join('');
  return `${own} = TypedDict(\n    ${literal(own)},\n    {\n${entries}    },\n    total=${total ? 'True' : 'False'},\n)\n`;
}
