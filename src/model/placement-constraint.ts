// Placement constraints: where containers may stand beside others (YARN's PlacementConstraint and PlacementConstraintParser).
//
//   in,node,zk                 on a node with a container tagged zk           in,rack,…: in such a rack
//   notin,node,zk              on a node without one
//   cardinality,node,hb,1,3    on a node that has one to three now
//   and(A:B)  or(A:B)          both, either
//   java=1.8,11  java!=1.7     on nodes whose attribute is (is not) one of these
//
// A tag counts in its own application; `all/zk`, `not-self/zk`, `app-id/ID/zk` and `app-tag/TAG/zk` count in others.
import { isObject } from '../lib/json-shape.ts';

/** Within what the containers are counted. */
export type ConstraintScope = 'node' | 'rack';

/** Whose containers are counted. */
export type TagNamespace =
  | { readonly kind: 'self' | 'not-self' | 'all' }
  | { readonly kind: 'app-id'; readonly applicationId: string }
  | { readonly kind: 'app-tag'; readonly applicationTag: string };

export interface TagTarget {
  readonly namespace: TagNamespace;
  readonly tag: string;
}

/** Bounds hold before the container is placed: at least one of the tags reaches `minimum`, at least one is not above `maximum`. */
export interface TagConstraint {
  readonly kind: 'tags';
  readonly scope: ConstraintScope;
  readonly targets: readonly TagTarget[];
  readonly minimum: number;
  /** Infinity: unlimited. */
  readonly maximum: number;
}

/** `name` may begin with its prefix (`rm.yarn.io/java`); without one the attribute of any prefix counts. */
export interface AttributeConstraint {
  readonly kind: 'attribute';
  readonly name: string;
  readonly negated: boolean;
  readonly values: readonly string[];
}

export interface CompositeConstraint {
  readonly kind: 'and' | 'or';
  readonly of: readonly PlacementConstraint[];
}

export type PlacementConstraint = TagConstraint | AttributeConstraint | CompositeConstraint;

/** Text that is no constraint; the message says why. */
export class ConstraintMalformed extends Error {
  override readonly name = 'ConstraintMalformed';
}

const deepest = 16;
const longestText = 8192;
const mostTargets = 100;
/** Tags, values and brackets of one constraint: the scheduler weighs each for a node. */
const mostTerms = 1000;

/** How much constraints may still say: tags, values and brackets of one, or of several together. */
export class ConstraintTerms {
  readonly #most: number;
  readonly #all: ConstraintTerms | undefined;
  #taken = 0;

  constructor(most = mostTerms, all?: ConstraintTerms) {
    this.#most = most;
    this.#all = all;
  }

  /** What one constraint may say where all of them together may say no more than this. */
  ofOne(): ConstraintTerms {
    return new ConstraintTerms(mostTerms, this);
  }

  /** @throws ConstraintMalformed */
  take(count: number): void {
    this.#taken += count;
    if (this.#taken > this.#most)
      throw new ConstraintMalformed(
        `more than ${this.#most} tags, values and brackets ${this.#most === mostTerms ? 'in one constraint' : 'in the constraints of one call'}`,
      );
    this.#all?.take(count);
  }
}

/** Reads the constraint language. @throws ConstraintMalformed */
export function parseConstraint(text: string, depth = 0, terms = new ConstraintTerms()): PlacementConstraint {
  if (text.length > longestText) throw new ConstraintMalformed(`the expression is longer than ${longestText} characters`);
  if (depth > deepest) throw new ConstraintMalformed(`the expression is nested deeper than ${deepest} times`);
  const expression = text.trim();
  const composite = /^(and|or)\s*\(([\s\S]*)\)$/i.exec(expression);
  if (composite) {
    const parts = splitOutside(composite[2]!, ':').filter((part) => part.trim() !== '');
    if (parts.length === 0) throw new ConstraintMalformed(`expecting constraints inside the brackets of "${expression}"`);
    terms.take(1);
    return { kind: composite[1]!.toLowerCase() as 'and' | 'or', of: parts.map((part) => parseConstraint(part, depth + 1, terms)) };
  }
  if (!setsAttribute(expression) && /[():]/.test(expression))
    throw new ConstraintMalformed(`expecting and(A:B) or or(A:B), but get "${expression}"`);
  const pieces = expression
    .split(',')
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
  const [operator = '', scopeText = '', ...rest] = pieces;
  switch (operator.toLowerCase()) {
    case 'in':
    case 'notin': {
      const scope = scopeOf(scopeText);
      if (rest.length === 0) throw new ConstraintMalformed(`expecting allocation tags, but get "${expression}"`);
      const isIn = operator.toLowerCase() === 'in';
      return {
        kind: 'tags',
        scope,
        targets: targetsOf(rest, terms),
        minimum: isIn ? 1 : 0,
        maximum: isIn ? Number.POSITIVE_INFINITY : 0,
      };
    }
    case 'cardinality': {
      const scope = scopeOf(scopeText);
      if (rest.length < 3)
        throw new ConstraintMalformed(
          `Invalid syntax for a cardinality expression, expecting "cardinality,SCOPE,TARGET_TAG,...,TARGET_TAG,MIN_CARDINALITY,MAX_CARDINALITY" at least 5 elements, but only ${rest.length + 2} is given.`,
        );
      return bounded({
        kind: 'tags',
        scope,
        targets: targetsOf(rest.slice(0, -2), terms),
        minimum: integerOf(rest.at(-2)!),
        maximum: integerOf(rest.at(-1)!),
      });
    }
    default:
      terms.take(pieces.length);
      return attributeOf(pieces, expression);
  }
}

/** Whether the part before the first comma, or any later part, gives values to an attribute: those may hold brackets. */
const setsAttribute = (expression: string): boolean => {
  const comma = expression.indexOf(',');
  const first = comma < 0 ? expression : expression.slice(0, comma);
  return /[^=!]=/.test(first);
};

function attributeOf(pieces: readonly string[], expression: string): AttributeConstraint {
  const first = pieces[0] ?? '';
  const equals = first.indexOf('=');
  const negated = first[equals - 1] === '!';
  const name = first.slice(0, Math.max(0, negated ? equals - 1 : equals)).trim();
  const values = [first.slice(equals + 1).trim(), ...pieces.slice(1)].filter((value) => value !== '');
  if (equals < 0 || name === '' || name.includes('!') || values.length === 0)
    throw new ConstraintMalformed(
      `expecting in, notin, cardinality, and(…), or(…) or an attribute like k=v or k!=v, but get "${expression}"`,
    );
  return { kind: 'attribute', name, negated, values };
}

function scopeOf(text: string): ConstraintScope {
  const scope = text.toLowerCase();
  if (scope === 'node' || scope === 'rack') return scope;
  throw new ConstraintMalformed(`expecting scope to node or rack, but met ${text === '' ? 'nothing' : text}`);
}

function integerOf(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new ConstraintMalformed(`Expecting an Integer, but get ${text}`);
  return Number(text);
}

function bounded(constraint: TagConstraint): TagConstraint {
  const { minimum, maximum } = constraint;
  if (minimum < 0 || maximum < 0 || minimum > maximum)
    throw new ConstraintMalformed(`the bounds must be 0 or more and the minimum not above the maximum, but get ${minimum} and ${maximum}`);
  return constraint;
}

function targetsOf(texts: readonly string[], terms: ConstraintTerms): TagTarget[] {
  if (texts.length > mostTargets) throw new ConstraintMalformed(`more than ${mostTargets} tags in one constraint`);
  terms.take(texts.length);
  return texts.map(targetOf);
}

/** `zk`, `self/zk`, `not-self/zk`, `all/zk`, `app-id/ID/zk`, `app-tag/TAG/zk` (AllocationTagNamespace). */
function targetOf(text: string): TagTarget {
  const pieces = text.split('/');
  const tag = pieces.at(-1)!;
  if (tag === '') throw new ConstraintMalformed(`expecting a tag, but get "${text}"`);
  if (pieces.length === 1) return { namespace: { kind: 'self' }, tag };
  const kind = pieces[0]!;
  if (pieces.length === 2 && (kind === 'self' || kind === 'not-self' || kind === 'all')) return { namespace: { kind }, tag };
  const named = pieces[1] ?? '';
  if (pieces.length === 3 && named !== '') {
    if (kind === 'app-id') return { namespace: { kind, applicationId: named }, tag };
    if (kind === 'app-tag') return { namespace: { kind, applicationTag: named }, tag };
  }
  throw new ConstraintMalformed(
    `Invalid namespace prefix: ${pieces.slice(0, -1).join('/')}, valid ones are self, not-self, all, app-id/ID and app-tag/TAG`,
  );
}

/** Splits where the separator stands outside of brackets. @throws ConstraintMalformed for brackets that do not match */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '(') depth++;
    else if (character === ')' && --depth < 0) break;
    else if (character === separator && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  if (depth !== 0) throw new ConstraintMalformed(`the brackets of "${text}" do not match`);
  parts.push(text.slice(from));
  return parts;
}

function textsOf(value: unknown, member: string): string[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every((item) => typeof item === 'string' && item !== ''))
    throw new ConstraintMalformed(`"${member}" must be a list of texts`);
  return value as string[];
}

/**
 * A constraint as a master writes it: the language as a text, or an object: `{type: 'in'|'notin'|'cardinality', scope, tags, minimum,
 * maximum}`, `{type: 'attribute', name, operator: '='|'!=', values}`, `{type: 'and'|'or', constraints: […]}`. @throws ConstraintMalformed
 */
export function readConstraint(value: unknown, depth = 0, terms = new ConstraintTerms()): PlacementConstraint {
  if (typeof value === 'string') return parseConstraint(value, depth, terms);
  if (!isObject(value)) throw new ConstraintMalformed('a placement constraint must be a text or an object');
  if (depth > deepest) throw new ConstraintMalformed(`the constraint is nested deeper than ${deepest} times`);
  const type = value['type'];
  switch (type) {
    case 'and':
    case 'or': {
      const of = value['constraints'];
      if (!Array.isArray(of) || of.length === 0 || of.length > mostTargets)
        throw new ConstraintMalformed('"constraints" must be a list of constraints');
      terms.take(1);
      return { kind: type, of: of.map((one: unknown) => readConstraint(one, depth + 1, terms)) };
    }
    case 'in':
    case 'notin':
    case 'cardinality': {
      const bound = (member: string, otherwise: number) => {
        const amount = value[member];
        if (amount === undefined) return otherwise;
        if (!Number.isInteger(amount)) throw new ConstraintMalformed(`"${member}" must be a whole number`);
        return amount as number;
      };
      const isCardinality = type === 'cardinality';
      return bounded({
        kind: 'tags',
        scope: scopeOf(String(value['scope'] ?? '')),
        targets: targetsOf(textsOf(value['tags'], 'tags'), terms),
        minimum: isCardinality ? bound('minimum', 0) : type === 'in' ? 1 : 0,
        maximum: isCardinality ? bound('maximum', Number.POSITIVE_INFINITY) : type === 'in' ? Number.POSITIVE_INFINITY : 0,
      });
    }
    case 'attribute': {
      const { name, operator = '=' } = value;
      if (typeof name !== 'string' || name === '') throw new ConstraintMalformed('"name" must be the name of an attribute');
      if (operator !== '=' && operator !== '!=') throw new ConstraintMalformed('"operator" must be = or !=');
      const values = textsOf(value['values'], 'values');
      terms.take(values.length);
      return { kind: 'attribute', name, negated: operator === '!=', values };
    }
    default:
      throw new ConstraintMalformed(`"type" must be one of in, notin, cardinality, attribute, and, or, but is ${JSON.stringify(type)}`);
  }
}

const targetText = ({ namespace, tag }: TagTarget): string => {
  switch (namespace.kind) {
    case 'self':
      return tag;
    case 'app-id':
      return `app-id/${namespace.applicationId}/${tag}`;
    case 'app-tag':
      return `app-tag/${namespace.applicationTag}/${tag}`;
    default:
      return `${namespace.kind}/${tag}`;
  }
};

/** The constraint in the language; what `parseConstraint` reads again. */
export function constraintText(constraint: PlacementConstraint): string {
  switch (constraint.kind) {
    case 'attribute':
      return `${constraint.name}${constraint.negated ? '!=' : '='}${constraint.values.join(',')}`;
    case 'tags': {
      const { scope, targets, minimum, maximum } = constraint;
      const tags = targets.map(targetText).join(',');
      if (maximum === 0 && minimum === 0) return `notin,${scope},${tags}`;
      if (minimum === 1 && maximum === Number.POSITIVE_INFINITY) return `in,${scope},${tags}`;
      return `cardinality,${scope},${tags},${minimum},${maximum === Number.POSITIVE_INFINITY ? 999_999_999 : maximum}`;
    }
    default:
      return `${constraint.kind}(${constraint.of.map(constraintText).join(':')})`;
  }
}
