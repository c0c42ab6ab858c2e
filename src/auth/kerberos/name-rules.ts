// From a principal to the name of a user: `hadoop.security.auth_to_local`. Rules as Hadoop describes them in its documentation of secure mode:
// DEFAULT, or RULE:[COMPONENTS:FORMAT](MATCH)s/FROM/TO/g/L, tried in order.
import { BoundedMap } from '../../lib/bounded-map.ts';
import {
  type BoundedPattern,
  type BoundedReplacement,
  boundedPattern,
  boundedReplacement,
  PatternTooSlow,
} from '../../lib/bounded-pattern.ts';
import type { NameOf } from '../authenticator.ts';
import { type Principal, parsePrincipal } from './principal.ts';

/** `hadoop`: what no rule takes is refused, and so are names with `/` or `@`. `mit`: what no rule takes is its own name. */
export type NameMechanism = 'hadoop' | 'mit';

/** What the rules come from. */
export interface NameRulesOptions {
  /** The value of `hadoop.security.auth_to_local`; undefined: `DEFAULT`. */
  readonly rules: string | undefined;
  readonly mechanism: NameMechanism;
  /** The realm whose users DEFAULT takes. */
  readonly defaultRealm: string | undefined;
}

interface Rule {
  readonly components: number;
  readonly format: string;
  readonly match: BoundedPattern | undefined;
  readonly substitution: { readonly from: BoundedReplacement; readonly to: string } | undefined;
  readonly lowerCase: boolean;
}

const ruleForm = /^(?:(DEFAULT)|RULE:\[(\d+):([^\]]*)\](?:\(([^)]*)\))?(?:s\/([^/]*)\/([^/]*)\/(g)?)?)(?:\/?(L))?(?=\s|$)/;
const notSimple = /[/@]/;

const maximumRemembered = 1000;

/** Reads the rules. A principal that takes them too long has no name. @throws Error naming the rule that cannot be read. */
export function nameRules(options: NameRulesOptions): NameOf {
  const nameOf = ruled(options);
  const known = new BoundedMap<string, string | undefined>(maximumRemembered);
  return (text) => {
    if (known.has(text)) return known.get(text);
    let name: string | undefined;
    try {
      name = nameOf(text);
    } catch (error) {
      if (!(error instanceof PatternTooSlow)) throw error;
    }
    known.set(text, name);
    return name;
  };
}

function ruled({ rules, mechanism, defaultRealm }: NameRulesOptions): NameOf {
  const parsed = parseRules(rules?.trim() ? rules : 'DEFAULT');
  return (text) => {
    const principal = parsePrincipal(text);
    if (!principal) return undefined;
    if (principal.realm === undefined && principal.components.length === 1) return text;
    for (const rule of parsed) {
      const name = rule === 'DEFAULT' ? byDefault(principal, defaultRealm) : applied(rule, principal);
      if (name === undefined) continue;
      if (mechanism === 'hadoop' && notSimple.test(name)) return undefined;
      return name === '' ? undefined : name;
    }
    return mechanism === 'mit' ? text : undefined;
  };
}

function parseRules(text: string): (Rule | 'DEFAULT')[] {
  const found: (Rule | 'DEFAULT')[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const parts = ruleForm.exec(rest);
    if (!parts) throw new Error(`"${rest.slice(0, 80)}" does not begin with a rule`);
    const [whole, isDefault, components, format, match, from, to, all, lower] = parts;
    found.push(
      isDefault
        ? 'DEFAULT'
        : {
            components: Number(components),
            format: format ?? '',
            match: match === undefined ? undefined : readable(() => boundedPattern(match), whole),
            substitution:
              from === undefined ? undefined : { from: readable(() => boundedReplacement(from, all ? 'g' : ''), whole), to: to ?? '' },
            lowerCase: lower !== undefined,
          },
    );
    rest = rest.slice(whole.length).trimStart();
  }
  return found;
}

function readable<Expression>(read: () => Expression, rule: string): Expression {
  try {
    return read();
  } catch {
    throw new Error(`"${rule}" has an expression that cannot be read`);
  }
}

const byDefault = ({ components, realm }: Principal, defaultRealm: string | undefined): string | undefined =>
  realm !== undefined && realm === defaultRealm ? components[0] : undefined;

function applied(rule: Rule, { components, realm }: Principal): string | undefined {
  if (components.length !== rule.components) return undefined;
  const values = [realm ?? '', ...components];
  const base = rule.format.replace(/\$(\d+)/g, (_reference, index: string) => values[Number(index)] ?? '');
  if (rule.match && !rule.match.matches(base)) return undefined;
  const { substitution } = rule;
  const name = substitution ? substitution.from.replace(base, (found) => filled(substitution.to, found)) : base;
  return rule.lowerCase ? name.toLowerCase() : name;
}

/** The replacement with `$1` for what was found, and `\` before what stands for itself. */
const filled = (to: string, found: readonly unknown[]): string =>
  to.replace(/\\(.)|\$(\d)/g, (_part, literal: string | undefined, group: string | undefined) => {
    if (literal !== undefined) return literal;
    const value = found[Number(group)];
    return typeof value === 'string' ? value : '';
  });
