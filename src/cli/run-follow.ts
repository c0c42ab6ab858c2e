// Follows a command that runs: asks its master how far it is, reads the logs of its containers, ends with its exit code.
import { once } from 'node:events';
import { streamLog } from '../client/log-stream.ts';
import { checked } from '../lib/json-shape.ts';
import { isFinalApplicationState } from '../model/application-states.ts';
import { endPhrase } from '../model/exit-status.ts';
import type { ApplicationInfo } from '../wire/cluster/application.ts';
import { type CommandView, commandView, type InstanceView, type TryView } from '../wire/cluster/command-job.ts';
import { sayOfClosedOutput } from './closed-output.ts';
import { type Connection, remedyByWords, talkPatiently } from './connection.ts';
import { MasterPages } from './master-pages.ts';
import { formatDuration, printNote, printText } from './output.ts';
import { onStopSignal } from './stop-signals.ts';
import { WaitTeller } from './wait-teller.ts';

const pollMs = 100;
const streams = ['stdout', 'stderr'] as const;

/** Silence after which the log of an ended container is given up. */
const longestSilenceMs = 10_000;
/** A line that does not end is printed in pieces of this length. */
const longestPiece = 1 << 20;

/** Output of one try of one instance, printed as it comes. */
class TryOutput {
  readonly containerId: string;
  isOver = false;
  /** Whether its node fell silent before the end of it was read. */
  get isCut(): boolean {
    return this.#reading.signal.aborted;
  }

  readonly #printed: Promise<void>;
  readonly #reading = new AbortController();
  #lastMs = performance.now();
  readonly #print: (stream: (typeof streams)[number], lines: string) => Promise<void>;

  constructor(instance: InstanceView, { containerId }: TryView, connection: Connection, prefixed: boolean, json: boolean) {
    this.containerId = containerId;
    this.#print = async (stream, text) => {
      const out = json ? process.stdout : process[stream];
      const shown = json
        ? `${JSON.stringify({ instance: instance.index, containerId, stream, text })}\n`
        : prefixed
          ? text.replace(/^/gm, `[${instance.index}] `).replace(/\[\d+\] $/, '')
          : text;
      if (!out.write(shown)) await once(out, 'drain');
    };
    this.#printed = Promise.all(streams.map((stream) => this.#follow(stream, connection))).then(() => undefined);
  }

  /** Its container has ended: prints the rest. A node that does not answer any more is not waited for. */
  async finish(): Promise<void> {
    this.isOver = true;
    this.#lastMs = performance.now();
    const watch = setInterval(() => {
      if (performance.now() - this.#lastMs > longestSilenceMs) this.#reading.abort();
    }, pollMs);
    await this.#printed.finally(() => clearInterval(watch));
  }

  /** Prints whole lines until the end of the file. */
  async #follow(stream: (typeof streams)[number], { resourceManagerUrl: url, credentials }: Connection): Promise<void> {
    const log = { url, ...credentials, containerId: this.containerId, file: stream };
    // A character may come in two pieces.
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of streamLog(log, this.#reading.signal, () => this.isOver)) {
      this.#lastMs = performance.now();
      rest += decoder.decode(bytes, { stream: true });
      const end = rest.length > longestPiece ? rest.length : rest.lastIndexOf('\n') + 1;
      if (end === 0) continue;
      await this.#print(stream, rest.slice(0, end));
      rest = rest.slice(end);
    }
    rest += decoder.decode();
    if (rest !== '') await this.#print(stream, `${rest}\n`);
  }
}

/** Follows to the end. Ctrl-C ends the application, also once a resource manager that is gone is back; a second one leaves at once. Resolves with the exit code. */
export async function followCommand(connection: Connection, id: string, json: boolean): Promise<number> {
  const { cluster } = connection;
  const say = (text: string): void => void printNote(`heddle: ${text}\n`);
  say(`submitted ${id}`);
  const stop = (): void => {
    say(`ending ${id}`);
    talkPatiently(() => cluster.kill(id)).catch((error: unknown) => {
      say(`${id} was not ended (${error instanceof Error ? error.message : String(error)}): end it with "heddle app kill ${id}"`);
      process.exit(1);
    });
  };
  const stopListening = onStopSignal(stop, ['SIGINT', 'SIGTERM']);
  sayOfClosedOutput(
    `nobody reads the output any more; ${id} goes on: "heddle app logs ${id} --follow" shows the rest, "heddle app kill ${id}" ends it`,
  );

  const master = new MasterPages(connection);
  const outputs = new Map<string, TryOutput>();
  let view: CommandView | undefined;
  const printAll = async (): Promise<void> => {
    const instances = view?.instances ?? [];
    for (const instance of instances) {
      for (const one of instance.tries) {
        let output = outputs.get(one.containerId);
        if (!output) {
          output = new TryOutput(instance, one, connection, instances.length > 1, json);
          outputs.set(one.containerId, output);
        }
        if (output.isOver || one.exitCode === undefined) continue;
        await output.finish();
        if (one.exitCode !== 0) tellFailure(instance, one);
      }
    }
  };
  const tellFailure = (instance: InstanceView, one: TryView): void => {
    if (instance.state === 'STOPPED') return;
    const { index, state, tries, earlierTries = 0, pauseMs = 0 } = instance;
    const isLast = one === tries.at(-1);
    const pause = isLast && pauseMs > 0 ? ` in ${formatDuration(pauseMs)}` : '';
    const again = !isLast || state === 'WAITING' ? `, trying again${pause}` : '';
    say(`instance ${index} ${endPhrase(one.exitCode ?? 0)} (try ${earlierTries + tries.indexOf(one) + 1})${again}`);
  };

  /** Whether the master heard that all was read: it waits for that, but not for ever. */
  let isRead = false;
  let app: ApplicationInfo = await talkPatiently(() => cluster.application(id));
  let told = '';
  const teller = new WaitTeller(() => cluster.explain(id), say);
  for (;;) {
    if (isFinalApplicationState(app.state)) break;
    if (app.state !== 'RUNNING' || !view || view.instances.some(({ tries }) => tries.length === 0)) await teller.look();
    if (app.state === 'RUNNING') {
      // Short waits keep the output flowing; the master answers a change of state at once.
      const latest = await master
        .json<unknown>(app, 'GET', '/', { query: { version: view?.version ?? 0 }, signal: AbortSignal.timeout(pollMs * 3) })
        .catch(() => undefined);
      // While the master starts, other pages may answer at its address.
      view = checked(commandView, latest).value ?? view;
      await printAll();
      if (view && view.state !== 'RUNNING') {
        isRead = true;
        await master.json(app, 'PUT', '/drained').catch(() => {});
      }
    } else if (app.state !== told && told !== '') say(`${id} is ${app.state}`);
    told = app.state ?? '';
    await new Promise((resolve) => setTimeout(resolve, view && view.state !== 'RUNNING' ? 20 : pollMs));
    app = await talkPatiently(() => cluster.application(id));
  }
  stopListening();
  sayOfClosedOutput(undefined);
  const hasRun = app.finalStatus === 'SUCCEEDED' || /^Instance \d+ /.test(app.diagnostics ?? '');
  if ((app.state === 'FINISHED' && hasRun && !isRead) || [...outputs.values()].some(({ isCut }) => isCut))
    say(`not all of the output of ${id} could be read while it ran\n  Read it with "heddle app logs ${id}".`);
  return exitCodeOf(app, view, say, json);
}

/** What the resource manager says of an application whose lifetime is over; as `timeout` ends then. */
const outOfTime = 'exceeded the lifetime';
const exitCodeOutOfTime = 124;

/** Why it failed. A command that ran and failed has said so itself, and that was printed: its last words are not repeated. */
function reasonOf({ diagnostics = '' }: ApplicationInfo, view: CommandView | undefined): string {
  const hasRun = view?.instances.some(({ state, tries }) => state === 'FAILED' && (tries.at(-1)?.exitCode ?? 0) > 0);
  const first = /^Instance \d+ failed with exit code \d+ after \d+ tr(?:y|ies)\./.exec(diagnostics)?.[0];
  return hasRun && first !== undefined ? first : diagnostics.trim();
}

function exitCodeOf(app: ApplicationInfo, view: CommandView | undefined, say: (text: string) => void, json: boolean): number {
  const told = /failed with exit code (-?\d+)/.exec(app.diagnostics ?? '')?.[1];
  let code = view?.exitCode ?? (told === undefined ? undefined : Number(told)) ?? (app.finalStatus === 'SUCCEEDED' ? 0 : 1);
  if (app.state === 'KILLED') code = (app.diagnostics ?? '').includes(outOfTime) ? exitCodeOutOfTime : 130;
  if (app.finalStatus !== 'SUCCEEDED' && code === 0) code = 1;
  if (code !== 0) {
    const reason = reasonOf(app, view);
    const remedy = remedyByWords(reason);
    say(
      `${app.id} ${app.state === 'FINISHED' ? app.finalStatus : app.state}: ${reason || 'no diagnostics'}${remedy ? `\n  ${remedy}` : ''}`,
    );
  }
  if (json) printText(`${JSON.stringify({ id: app.id, state: app.state, finalStatus: app.finalStatus, exitCode: code })}\n`);
  return code < 0 || code > 255 ? 1 : code;
}
