// Writes, acknowledgements and checks of repetition outside of the resource manager, each to be taken out in turn, and the tests of which one has to
// notice: histories play nodes, launchers and the timeline by stand-ins.
import type { MutatedCheck } from './mutated-checks.ts';

/** One of another role. */
export interface MutatedRole extends MutatedCheck {
  /** Below `src/`. */
  readonly tests: readonly string[];
}

const files = 'engines/supervised/container-files';
const engine = 'engines/supervised/supervised-engine';
const launcher = 'engines/supervised/launcher-script';
const manager = 'node-manager/containers/container-manager';
const runner = 'node-manager/containers/container-runner';
const cache = 'node-manager/localization/cache';
const timeline = 'timeline/v1/timeline';

/** A mutation of `FILE.ts`, noticed by `FILE.test.ts`, or by the tests named. */
const of = (file: string, name: string, text: string, replacement: string, tests: readonly string[] = [file]): MutatedRole => ({
  name,
  file: `../${file}.ts`,
  text,
  replacement,
  tests: tests.map((test) => `${test}.test.ts`),
});

export const mutatedRoles: readonly MutatedRole[] = [
  of(files, 'a former generation is fenced', "if (state === 'orders') this.fence(generation);", ''),
  of(
    files,
    'what was not claimed is no start',
    'if (generationOf(name) !== undefined && !this.isClaimed(name)) this.removeStart(name);',
    '',
  ),
  of(files, 'a process is known by when it began', '!now.zombie && now.startTicks === startTicks', '!now.zombie'),
  of(files, 'a start of another boot is over', 'if (this.#isEarlier(generationOf(name))) this.#earlier.add(name);', ''),
  of(
    files,
    'the boot of a generation is written before its orders',
    'if (this.#boot !== undefined) writeFileSync',
    'if (false) writeFileSync',
  ),
  of(files, 'an exit code counts when it is whole', '/^(\\d+)\\n$/', '/^(\\d+)/'),
  of(files, 'a former launcher is ended', "process.kill(stat.pid, 'SIGKILL');", ''),
  of(engine, 'what was started before is refused', 'if (this.#files.claimedStart(containerId) !== undefined)', 'if (false)'),
  of(
    engine,
    'a boot is noted when the ends of all that it lost are durable',
    'if (!this.#isRecovered || this.#lostWithMachine.size > 0) return;',
    '',
  ),
  of(engine, 'what may have left nothing is lost with the machine', 'name === undefined && !this.#files.rebooted', 'name === undefined'),
  of(
    engine,
    'a start that was claimed is not ordered again',
    'const start = this.#files.isClaimed(name) ? this.#files.start(name) : undefined;',
    'const start = undefined as RecordedStart | undefined;',
  ),
  of(launcher, 'a start is claimed once', '    set -C\n', ''),
  of(launcher, 'what is not claimed is not executed', ': >"$0/orders.$1/$2" || exit', ': >"$0/orders.$1/$2"'),
  of('engines/runtime-choice', 'every engine is asked for what none remembers', "if (found.state !== 'unknown') return found;", ''),
  of(
    manager,
    'a container that ended is not started by a later order',
    'if (past !== undefined) return this.#tellEnd(order.containerId, past, hasEndedBefore, order);',
    '',
  ),
  of(manager, 'an order that comes again is not carried out again', 'if (former) {', 'if (false && former) {'),
  of(
    manager,
    'a container of an application that ended is not started',
    'if (!known && store.hasEnded(order.applicationId)) {',
    'if (false) {',
  ),
  of(manager, 'that an application ended is remembered', 'store.rememberEnd(application.id);', ''),
  of(
    manager,
    'the end of what nobody knows is told when it is durable',
    'await this.#options.store.forgetContainer({ containerId, applicationId, exitCode });',
    '',
  ),
  of(manager, 'what no record knows is ended', 'await this.#endStrays();', ''),
  of(manager, 'what ran and left nothing is lost', "recovered.state === 'unknown' && !waits && record.startedTime !== undefined", 'false'),
  of(runner, 'the end of what never ran is told when it is durable', 'if (container.recorded && !engineKeeps) await saved;', '', [manager]),
  of(
    runner,
    'nothing of a container goes before its end is durable',
    'await saved;\n    await container.described;',
    'await container.described;',
    [manager],
  ),
  of(cache, 'what was not on the disk is not taken for whole', 'entry.boot === undefined || entry.boot === this.#options.boot', 'true'),
  of(
    'node-manager/logs/uploads',
    'that an upload begins is durable first',
    'application.upload = { file: isWhole ? name : `${name}_${time}`, isLast: ended, taken };\n  await save(application);',
    'application.upload = { file: isWhole ? name : `${name}_${time}`, isLast: ended, taken };',
    ['node-manager/logs/aggregation'],
  ),
  of(
    'node-manager/logs/uploads',
    'an upload that came to its end is not repeated',
    'if ((await store.names(folder)).includes(upload.file)) take(application);\n  else {',
    '{',
    ['node-manager/logs/aggregation'],
  ),
  of(
    'node-manager/logs/aggregation',
    'local logs go when it is durable that nothing is to be gathered of them',
    'application.logsGathered = true;\n          await this.#options.save(application);',
    'application.logsGathered = true;',
  ),
  of(
    timeline,
    'entities are acknowledged when they are durable',
    'await database.write(() => {\n          const given',
    'void database.write(() => {\n          const given',
  ),
  of(timeline, 'a domain is acknowledged when it is durable', 'await write;', ''),
  of('resource-manager/publishing/outbox', 'what was not taken stays', "if (delivery.kind === 'again') return undefined;", ''),
  of('resource-manager/publishing/outbox', 'what could not be kept is kept again', 'this.#failed = [...rows, ...this.#failed];', ''),
];
