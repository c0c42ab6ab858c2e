// `heddle reservation list|submit|update|delete`: parts of a queue for a time to come.

import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type ReservationInfo,
  type ReservationRequest,
  Reservations,
  type ReservationWish,
  reservationKinds,
} from '../client/reservations.ts';
import { coresText } from '../model/resource.ts';
import { parseMemory, parseTime } from './amounts.ts';
import { connect, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatDuration, formatMemory, formatTime, printJson, printTable, printText } from './output.ts';

interface WishFlags extends ClusterFlags {
  readonly request: readonly ReservationRequest[];
  readonly from?: number;
  readonly until: number;
  readonly kind: (typeof reservationKinds)[number];
  readonly name?: string;
  readonly every?: number;
}

/** Registers `heddle reservation …`. */
export function addReservation(program: Command): void {
  const reservation = program.command('reservation').description('reserve parts of a queue for a time to come');
  withClusterOptions(reservation.command('list').argument('<queue>', 'one that is reservable'))
    .description('list the reservations of a queue')
    .option('--id <reservation>', 'only this one')
    .action(list);
  withWish(reservation.command('submit').argument('<queue>', 'one that is reservable'))
    .description('reserve; "heddle run --reservation ID" runs in what was reserved')
    .action(submit);
  withWish(reservation.command('update').argument('<reservation>', 'its id'))
    .description('replace a reservation by another, under its id')
    .action(update);
  withClusterOptions(reservation.command('delete').argument('<reservation...>', 'their ids'))
    .description('end reservations')
    .action(remove);
}

function withWish(command: Command): Command {
  const collect = (text: string, before: readonly ReservationRequest[] = []) => [...before, requestOf(text)];
  return withClusterOptions(command)
    .requiredOption(
      '--request <request>',
      'containers=4,memory=2g,vcores=1,duration=1h, and concurrency=N: so many at once; may be repeated',
      collect,
    )
    .option('--from <time>', 'not before: 2026-05-01T12:00Z, or from now: 2h (default: now)', timeOf)
    .requiredOption('--until <time>', 'done by then: the same', timeOf)
    .addOption(
      new Option('--kind <kind>', 'any: one of the requests; all: all of them; order: one after the other')
        .choices(reservationKinds)
        .default('all'),
    )
    .option('--name <name>', 'what it is listed as')
    .option('--every <time>', 'repeat it: 1d', durationOf);
}

/** A time as the epoch's ms: ISO, or a duration from now. @throws InvalidArgumentError */
function timeOf(text: string): number {
  const fromNow = /^\d+\s*[smhd]$/i.test(text.trim()) ? parseTime(text) : undefined;
  const at = fromNow === undefined ? (/^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN) : Date.now() + fromNow;
  if (Number.isNaN(at)) throw new InvalidArgumentError('Give a time such as 2026-05-01T12:00Z, or 2h for in two hours.');
  return at;
}

function durationOf(text: string): number {
  const ms = parseTime(text);
  if (ms === undefined || ms < 1) throw new InvalidArgumentError('Give a time such as 30m, 2h or 1d.');
  return ms;
}

const requestMembers = ['containers', 'memory', 'vcores', 'duration', 'concurrency'];

/** One request in the form `containers=4,memory=2g,duration=1h`. @throws InvalidArgumentError */
export function requestOf(text: string): ReservationRequest {
  const values = new Map(text.split(',').map((part) => [part.split('=', 1)[0]!.trim(), part.slice(part.indexOf('=') + 1).trim()]));
  const unknown = [...values.keys()].find((name) => !requestMembers.includes(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`'${unknown}' is none of ${requestMembers.join(', ')}.`);
  const whole = (name: string, standard: number): number => {
    const value = values.get(name);
    if (value === undefined) return standard;
    if (!/^\d{1,9}$/.test(value) || Number(value) < 1) throw new InvalidArgumentError(`${name}=${value} is no number of at least 1.`);
    return Number(value);
  };
  const memory = parseMemory(values.get('memory') ?? '1g');
  const durationMs = parseTime(values.get('duration') ?? '');
  if (memory === undefined) throw new InvalidArgumentError(`memory=${values.get('memory')} is no memory: 512m, 2g.`);
  if (durationMs === undefined || durationMs < 1000)
    throw new InvalidArgumentError('duration= is missing or no time of at least a second: 30m, 2h.');
  const containers = whole('containers', 1);
  return { containers, concurrency: whole('concurrency', 1), memoryMiB: memory, vcores: whole('vcores', 1), durationMs };
}

/** What passes between the typing of a time and its reading. */
const longestTypingMs = 60_000;

const wishOf = ({ name, from = Date.now(), until, kind, request, every }: WishFlags): ReservationWish => {
  if (from < Date.now() - longestTypingMs)
    throw new CommandFailure('--from lies in the past', 'Give a later time, or leave it away: from now on.', 2);
  if (until <= from) throw new CommandFailure('--until is not after --from', 'Give a later time.', 2);
  return { name, arrivalMs: from, deadlineMs: until, kind, requests: request, everyMs: every };
};

const requestText = ({ containers, concurrency, memoryMiB, vcores, durationMs }: ReservationRequest): string =>
  `${containers} × ${formatMemory(memoryMiB)}, ${coresText(vcores)} for ${formatDuration(durationMs)}${concurrency > 1 ? ` (${concurrency} at once)` : ''}`;

const rowOf = ({ id, name, user, arrivalMs, deadlineMs, kind, requests, everyMs }: ReservationInfo) => [
  ...[id, name, user, formatTime(arrivalMs), formatTime(deadlineMs), formatDuration(everyMs), kind],
  requests.map(requestText).join('; '),
];

async function list(queue: string, flags: ClusterFlags & { readonly id?: string }): Promise<void> {
  const found = await talk(() => new Reservations(connect(flags).cluster.http).list(queue, flags.id));
  if (flags.json) return printJson(found);
  if (found.length === 0) printText('No reservations.\n');
  else printTable(['RESERVATION', 'NAME', 'USER', 'FROM', 'UNTIL', 'EVERY', 'KIND', 'REQUESTS'], found.map(rowOf));
}

async function submit(queue: string, flags: WishFlags): Promise<void> {
  const wish = wishOf(flags);
  const id = await talk(() => new Reservations(connect(flags).cluster.http).submit(queue, wish));
  if (flags.json) return printJson({ id });
  printText(`${id}\n`);
}

async function update(id: string, flags: WishFlags): Promise<void> {
  const wish = wishOf(flags);
  await talk(() => new Reservations(connect(flags).cluster.http).update(id, wish));
  if (flags.json) return printJson({ id });
  printText(`${id} was replaced.\n`);
}

async function remove(ids: readonly string[], flags: ClusterFlags): Promise<void> {
  const reservations = new Reservations(connect(flags).cluster.http);
  for (const id of ids) {
    await talk(() => reservations.delete(id));
    if (!flags.json) printText(`${id} was ended.\n`);
  }
  if (flags.json) printJson(ids.map((id) => ({ id })));
}
