// What mapping rules may name of a submission: `%user`, `%application` and their like (Hadoop's VariableContext, as CSMappingPlacementRule fills it).
import type { Submission } from '../../entries.ts';

/** Names of users and groups may have dots, names of queues may not. */
const clean = (name: string): string => name.replaceAll('.', '_dot_');

/** The variable whose value hangs on the place that it stands in. */
const secondaryGroup = '%secondary_group';

/** The variables of one submission with their values; for a user without groups, there are none of groups. */
export class MappingVariables {
  readonly submission: Submission;
  readonly groups: readonly string[];
  readonly #values: Map<string, string>;

  /** `defaultQueue`: the path that `%default` stands for until a rule sets another. */
  constructor(submission: Submission, groups: readonly string[], defaultQueue: string) {
    this.submission = submission;
    this.groups = groups;
    this.#values = new Map([
      ['%user', clean(submission.user)],
      // Who names no queue is sent to `default`, which is therefore nobody's choice; `root.default` is.
      ['%specified', submission.queue === undefined || submission.queue === 'default' ? '' : submission.queue],
      ['%application', submission.name],
      ['%default', defaultQueue],
    ]);
    const [primary] = groups;
    if (primary !== undefined) this.#values.set('%primary_group', clean(primary));
  }

  /** Where `%default` leads from here on; the text may itself name variables. */
  setDefaultQueue(text: string): void {
    this.#values.set('%default', this.replaceIn(text));
  }

  get defaultQueue(): string {
    return this.#values.get('%default') ?? '';
  }

  /** A text with every variable in it replaced, wherever it stands; longer names first, so that none is taken for the beginning of another. */
  replaceIn(text: string): string {
    if (!text.includes('%')) return text;
    const names = [...this.#values.keys()].sort((a, b) => b.length - a.length);
    return names.reduce((replaced, name) => replaced.replaceAll(name, this.#values.get(name)!), text);
  }

  /**
   * A path whose parts are variables or names: what is no known variable, or holds more than one, is a name (Hadoop means it so). Undefined
   * where a variable has no value. `exists` tells whether there is a queue of that path: of the secondary groups, the first with one at its
   * place is taken.
   */
  fillPath(template: string, exists: (path: string) => boolean): string | undefined {
    const filled: string[] = [];
    for (const part of template.split('.')) {
      const hangsOnPlace = part === secondaryGroup && this.groups.length > 0;
      const value = hangsOnPlace ? this.#secondaryGroup(filled, exists) : (this.#values.get(part) ?? part);
      if (value === '') return undefined;
      filled.push(value);
    }
    return filled.join('.');
  }

  #secondaryGroup(above: readonly string[], exists: (path: string) => boolean): string {
    return (
      this.groups
        .slice(1)
        .map(clean)
        .find((name) => exists([...above, name].join('.'))) ?? ''
    );
  }
}
