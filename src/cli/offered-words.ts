// Options of which the words that may stand there are known, so that completion offers them.
import { InvalidArgumentError, type Option } from 'commander';
import { eventKinds } from '../model/event-kinds.ts';

/** Reads the text behind an option; `before`: what was read where the option is repeated. */
type Reader = (text: string, before?: string) => string;

const offered = new WeakMap<object, readonly string[]>();

/** A reader of words that are separated by commas: each one of these, as `spelled` writes them. */
function wordsReader(known: readonly string[], spelled: (word: string) => string): Reader {
  const read: Reader = (text, before) => {
    const words = text.split(',').map((one) => spelled(one.trim()));
    const strange = words.find((one) => !known.includes(one));
    if (strange !== undefined) throw new InvalidArgumentError(`'${strange}' is none of ${known.join(', ')}.`);
    return [...(before === undefined ? [] : [before]), ...words].join(',');
  };
  offered.set(read, known);
  return read;
}

/** An option of states, separated by commas, in any case: each one of these. */
export const statesOf = (known: readonly string[]): Reader => wordsReader(known, (word) => word.toUpperCase());

/** What an option of kinds of events takes; `about` names what they may be about. */
export const kindsAbout = (...about: readonly string[]): Reader =>
  wordsReader([...about, ...eventKinds.filter((kind) => about.includes(kind.slice(0, kind.indexOf('.'))))], (word) => word);

/** The words of which one or more may stand behind an option; undefined: nobody knows them here. */
export const wordsBehind = ({ parseArg }: Option): readonly string[] | undefined => parseArg && offered.get(parseArg);
