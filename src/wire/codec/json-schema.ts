// JSON Schemas of described values, as they stand in bodies and answers: of JSON in each of its forms, and of XML with the annotations
// of OpenAPI. Loaded only by who is asked to describe itself.
import type { JsonForm, JsonSchema, RecordDescription, WireMember } from './describe.ts';

/** How a value is written: in a form of JSON; as `strict`, the form of bodies of Heddle's own interface; or as XML. */
type SchemaForm = JsonForm | 'strict' | 'xml';

const scalars: Partial<Record<WireMember['kind'], JsonSchema>> = {
  text: { type: 'string' },
  int: { type: 'integer', format: 'int32' },
  long: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'float' },
  double: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
  any: {},
};

/** Collects the schemas that a document refers to: records, and objects that contain themselves. */
export class Schemas {
  /** By the names under which the document holds them. */
  readonly named: Record<string, JsonSchema> = {};
  readonly #records = new Map<RecordDescription<never>, Partial<Record<SchemaForm, string>>>();
  readonly #recursive = new Map<WireMember, Partial<Record<SchemaForm, string>>>();

  /** What refers to the JSON of a record, with its root where it has one. */
  json(record: RecordDescription<never>, form: SchemaForm = record.json): JsonSchema {
    return this.#record(record, form, () => {
      const body = this.#of(record.wire, form, record.root);
      return record.wrapped ? { type: 'object', required: [record.root], properties: { [record.root]: body } } : body;
    });
  }

  /** The JSON of a member. */
  member(member: WireMember, form: JsonForm): JsonSchema {
    return this.#of(member, form, 'member');
  }

  /** What refers to the XML of a record. */
  xml(record: RecordDescription<never>): JsonSchema {
    return this.#record(record, 'xml', () => ({ ...this.#of(record.wire, 'xml', record.root), xml: { name: record.root } }));
  }

  #record(record: RecordDescription<never>, form: SchemaForm, make: () => JsonSchema): JsonSchema {
    const names = this.#records.get(record) ?? {};
    this.#records.set(record, names);
    const known = names[form];
    if (known !== undefined) return referenceTo(known);
    const name = this.#reserve(record.root, form);
    names[form] = name;
    return this.#fill(name, make());
  }

  /** A name that is free. None ends in a number: by those generators of clients tell apart what they name themselves. */
  #reserve(wanted: string, form: SchemaForm): string {
    const name = upperCamel(form === 'xml' ? `${wanted}-xml` : wanted);
    let free = name in this.named && form !== 'xml' ? upperCamel(`${wanted}-${form}`) : name;
    while (free in this.named) free = `Other${free}`;
    this.named[free] = {};
    return free;
  }

  #fill(name: string, schema: JsonSchema): JsonSchema {
    this.named[name] = schema;
    return referenceTo(name);
  }

  #of(member: WireMember, form: SchemaForm, name: string): JsonSchema {
    switch (member.kind) {
      case 'list':
        return this.#list(member, form, name);
      case 'map':
        return this.#map(member, form, name);
      case 'holder':
      case 'object':
        return member.variants ? this.#variants(member, member.variants, form, name) : this.#object(member, form);
      default: {
        const schema = scalars[member.kind] ?? {};
        return form === 'mapped' && member.kind !== 'any' ? { type: 'string' } : schema;
      }
    }
  }

  /** In the mapped form a list of one is its element. */
  #list(member: WireMember, form: SchemaForm, name: string): JsonSchema {
    const element = this.#of(member.element!.wire, form, name);
    const array = { type: 'array', items: element };
    return form === 'mapped' ? { anyOf: [element, array] } : array;
  }

  /** Outside of the plain form maps are entries of texts; in the natural form the name `entry` is repeated, of which parsers keep the last. */
  #map(member: WireMember, form: SchemaForm, name: string): JsonSchema {
    const plain = form === 'plain' || form === 'strict';
    const value = this.#of(member.element!.wire, plain || form === 'xml' ? form : 'mapped', name);
    if (plain) return { type: 'object', additionalProperties: value };
    const entry = { type: 'object', required: ['key'], properties: { key: { type: 'string' }, value } };
    const entries = { type: 'array', items: entry };
    const held = form === 'xml' ? entries : { anyOf: [entry, entries] };
    const object = { type: 'object', properties: { entry: held } };
    return form === 'mapped' ? { anyOf: [object, { type: 'null' }] } : object;
  }

  #object(member: WireMember, form: SchemaForm): JsonSchema {
    const type = member.typeName === undefined ? {} : { type: { type: 'string', const: member.typeName } };
    const fields = (member.fields ?? []).map(({ name, member: inner }): [string, JsonSchema] => [name, this.#of(inner, form, name)]);
    return { type: 'object', properties: { ...type, ...Object.fromEntries(fields) } };
  }

  #variants(member: WireMember, variants: () => readonly WireMember[], form: SchemaForm, name: string): JsonSchema {
    const names = this.#recursive.get(member) ?? {};
    this.#recursive.set(member, names);
    const known = names[form];
    if (known !== undefined) return referenceTo(known);
    const own = this.#reserve(name, form);
    names[form] = own;
    const schemas = variants().map((variant) => this.#of(variant, form, name));
    return this.#fill(own, schemas.length === 1 ? schemas[0]! : { anyOf: schemas });
  }
}

/** `Word` of `-word`, whatever parts the words. */
const upperCamel = (text: string): string =>
  text.replace(/(^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_all, _gap, letter: string) => letter.toUpperCase());

/** What stands for a schema of the document. */
const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
