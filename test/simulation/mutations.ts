// npm run simulation-mutations: takes out, one at a time, each durable write (`skipped`: answered as stored and not
// written; `early`: answered before it is stored) and each check of repetition, and looks for a history that notices, then for a test
// that plays one situation. What none of them notices is a promise that nobody checks, or a write that nobody needs: the command exits with 1.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { numberOption, readArguments } from '../../scripts/arguments.ts';
import { play } from './history.ts';
import type { Mutation } from './mutate.ts';
import { mutatedChecks } from './mutated-checks.ts';
import { mutatedRoles } from './mutated-roles.ts';
import { failsWith } from './mutated-tests.ts';
import { type Fault, mutateWrites } from './mutated-writes.ts';
import type { MutationAssignment, Noticed } from './mutation-thread.ts';
import { needless } from './needless-writes.ts';
import { ofSeed } from './replaying.ts';

const usage = `npm run simulation-mutations -- [options]
  --histories N    in which each is looked for (default: 1000)
  --only PATTERN   those alone whose place matches
  --roles          those of launchers, nodes and the timeline alone, by their tests`;
const { values } = readArguments(usage, {
  options: {
    histories: { type: 'string', default: '1000' },
    only: { type: 'string', default: '' },
    roles: { type: 'boolean', default: false },
  },
});
const faults: readonly Fault[] = ['skipped', 'early'];
/** Histories in which the places are looked for that write. */
const searched = 300;
const histories = numberOption(usage, 'histories', values.histories);
const everySeed = Array.from({ length: searched * 4 }, (_, i) => i + 1);

/** Everything in the resource manager that writes while histories are played, and in which of them. */
async function places(): Promise<[place: string, seeds: readonly number[]][]> {
  const found = new Map<string, Set<number>>();
  let seed = 1;
  mutateWrites((place) => {
    const seeds = found.get(place) ?? new Set();
    found.set(place, seeds.add(seed));
    return undefined;
  });
  for (; seed <= searched; seed++) {
    const history = ofSeed(seed);
    await play(history.kind, seed, history);
  }
  return [...found].map(([place, seeds]) => [place, [...seeds]] as [string, number[]]).sort(([a], [b]) => (a < b ? -1 : 1));
}

function notice(mutation: Mutation, seeds: readonly number[], histories: number): Promise<Noticed | undefined> {
  const assignment: MutationAssignment = { mutation, seeds, histories };
  return new Promise((done) => {
    const worker = new Worker(new URL('./mutation-thread.ts', import.meta.url), { workerData: assignment });
    worker.on('message', done);
    // What ends the process of the resource manager is noticed as well.
    worker.on('error', (error) => done({ seed: 0, history: 'a thread ended', message: String(error).split('\n')[0]! }));
  });
}

let pass: Promise<string | undefined> | undefined;

/** The first test of one situation that notices. @throws where one fails anyway: that shows nothing */
async function noticeInTests(mutation: Mutation): Promise<Noticed | undefined> {
  const broken = await (pass ??= failsWith(undefined));
  if (broken !== undefined) throw new Error(`without any mutation too: ${broken}`);
  const message = await failsWith(mutation);
  return message === undefined ? undefined : { seed: 0, history: 'a test', message };
}

/** A history that fails anyway shows nothing. */
async function playsUnmutated(seed: number): Promise<void> {
  const history = ofSeed(seed);
  await play(history.kind, seed, history);
}

const named = [
  ...(values.roles ? [] : await places()).flatMap(([place, seeds]) =>
    faults.map((fault) => ({ name: `${fault}: ${place}`, mutation: { place, fault }, seeds })),
  ),
  ...(values.roles ? [] : mutatedChecks).map((check) => ({ name: check.name, mutation: { check }, seeds: everySeed })),
].filter(({ name }) => new RegExp(values.only).test(name));

let survived = 0;
console.log('| taken out | noticed in | as |\n| --- | --- | --- |');
const waiting = [...named];
async function work(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { name, mutation, seeds } = next;
    const why = needless.find(({ place }) => place.test(name))?.why;
    // Of what is needless it is only seen that it stays so.
    const inHistories = await notice(mutation, why === undefined ? seeds : seeds.slice(0, 20), why === undefined ? histories : 20);
    if (inHistories) await playsUnmutated(inHistories.seed);
    const noticed = inHistories ?? (why === undefined ? await noticeInTests(mutation) : undefined);
    if (!noticed && why === undefined) survived++;
    console.log(
      `| ${name} | ${noticed?.history ?? (why === undefined ? 'nothing: SURVIVED' : 'nothing')} | ${noticed?.message ?? why ?? ''} |`,
    );
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));

/** Other roles are mutated for their own tests. */
const ofRoles = mutatedRoles.filter(({ name }) => new RegExp(values.only).test(name));
const unmutated = new Map<string, Promise<string | undefined>>();
for (const { tests, ...check } of ofRoles) {
  const paths = tests.map((test) => fileURLToPath(new URL(`../../src/${test}`, import.meta.url)));
  const key = paths.join(' ');
  const broken = await (unmutated.get(key) ?? unmutated.set(key, failsWith(undefined, paths)).get(key));
  if (broken !== undefined) throw new Error(`without any mutation too: ${broken}`);
  const message = await failsWith({ check }, paths);
  if (message === undefined) survived++;
  console.log(`| ${check.name} | ${message === undefined ? 'nothing: SURVIVED' : 'a test'} | ${message ?? ''} |`);
}
console.log(`${named.length + ofRoles.length} mutations, ${survived} survived`);
process.exitCode = survived > 0 ? 1 : 0;
