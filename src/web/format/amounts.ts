// Numbers for people, with their units. Pure: no clock, no locale of the machine.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** `12,345`. */
export const count = (value: number): string => whole.format(value);

/** `1 node`, `2 nodes`. */
export const counted = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

const memoryUnits = ['MiB', 'GiB', 'TiB', 'PiB'];

/** Memory given in MiB: `512 MiB`, `1.5 GiB`. */
export function memory(mebibytes: number): string {
  let value = mebibytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < memoryUnits.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${short.format(value)} ${memoryUnits[unit]}`;
}

const byteUnits = ['B', 'KiB', ...memoryUnits];

/** Bytes: `0 B`, `3.2 KiB`. */
export function bytes(amount: number): string {
  let value = amount;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < byteUnits.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${short.format(value)} ${byteUnits[unit]}`;
}

/** `8 vcores`. */
export const vcores = (value: number): string => counted(value, 'vcore');

/** Processors in use: `0.25 cores`, `1 core`. */
export const cores = (value: number): string => `${short.format(value)} ${value === 1 ? 'core' : 'cores'}`;

/** A share of 1 as `12 %`; what is there at all is never shown as 0, what is not whole never as 100. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 1) return '< 1 %';
  if (value > 99 && value < 100) return '> 99 %';
  return `${whole.format(value)} %`;
}

/** A share that is defined where there is nothing to share. */
export const shareOf = (part: number, all: number): number => (all > 0 ? part / all : 0);

/** What one application used over its life: `3.2 GiB·h`, of MiB-seconds. */
export const memoryHours = (mebibyteSeconds: number): string => `${memory(mebibyteSeconds / 3600)}·h`;

/** `1.4 vcore·h`, of vcore-seconds. */
export const vcoreHours = (vcoreSeconds: number): string => `${short.format(vcoreSeconds / 3600)} vcore·h`;

/** An amount of a type of resource: `8 GiB`, `4 vcores`, `2 gpu` of `yarn.io/gpu`. */
export function amountOf(type: string, value: number): string {
  if (type === 'memory-mb') return memory(value);
  return type === 'vcores' ? vcores(value) : `${count(value)} ${typeWord(type)}`;
}

/** A type of resource in a word: `memory`, `vcores`, `gpu`. */
export const typeWord = (type: string): string => (type === 'memory-mb' ? 'memory' : type.replace(/^[^/]*\//, ''));

/** Shows an amount; where it is none a dash, which is passed over more easily than a zero. */
export const orDash =
  (show: (value: number) => string) =>
  (value: number): string =>
    value === 0 ? '–' : show(value);
