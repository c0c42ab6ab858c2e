// Follows a command that runs: asks its master how far it is, reads the logs of its containers, ends with its exit code.
import type { CommandJob, CommandView, InstanceView, TryView } from '../batch/command/command-job.ts';
import { HttpClient } from '../client/http.ts';
import { LogFollower } from '../client/log-follower.ts';
import { LogClient } from '../client/node-client.ts';
import type { ApplicationInfo } from '../wire/cluster/application.ts';
import { isOver } from './app-state.ts';
import { type Connection, talkPatiently } from './connection.ts';
import { WaitTeller } from './wait-teller.ts';

const pollMs = 100;
const streams = ['stdout', 'stderr'] as const;

/** Output of one try of one instance. */
class TryOutput {
  readonly #followers: { stream: (typeof streams)[number]; follower: LogFollower; decoder: TextDecoder; rest: string }[];
  readonly #print: (stream: (typeof streams)[number], lines: string) => void;
  readonly containerId: string;
  isDone = false;

  constructor(instance: InstanceView, of: TryView, user: string, prefixed: boolean, json: boolean) {
    this.containerId = of.containerId;
    const client = new LogClient('node', /^https?:/.test(of.nodeHttpAddress) ? of.nodeHttpAddress : `http://${of.nodeHttpAddress}`, user);
    this.#followers = streams.map((stream) => ({
      stream,
      follower: new LogFollower(client, of.containerId, stream),
      decoder: new TextDecoder(),
      rest: '',
    }));
    this.#print = (stream, text) => {
      if (json) process.stdout.write(`${JSON.stringify({ instance: instance.index, containerId: of.containerId, stream, text })}\n`);
      else process[stream].write(prefixed ? text.replace(/^/gm, `[${instance.index}] `).replace(/\[\d+\] $/, '') : text);
    };
  }

  /** Prints what is new; whole lines only until `last`. */
  async print(last: boolean): Promise<void> {
    for (const item of this.#followers) {
      const fresh = await item.follower.next().catch(() => Buffer.alloc(0));
      // A character may come in two pieces.
      const text = item.rest + item.decoder.decode(fresh, { stream: !last });
      const end = last ? text.length : text.lastIndexOf('\n') + 1;
      item.rest = text.slice(end);
      if (end > 0) this.#print(item.stream, last && !text.endsWith('\n') ? `${text}\n` : text.slice(0, end));
    }
    this.isDone = last;
  }
}

/** Follows to the end. Ctrl-C ends the application. Resolves with the exit code. */
export async function followCommand(connection: Connection, id: string, job: CommandJob, json: boolean): Promise<number> {
  const { cluster, user } = connection;
  const say = (text: string): void => void process.stderr.write(`heddle: ${text}\n`);
  say(`submitted ${id}`);
  const stop = (): void => {
    say(`ending ${id}`);
    cluster.kill(id).catch(() => {});
    process.once('SIGINT', () => process.exit(130));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);

  const master = new HttpClient({ url: connection.resourceManagerUrl, user });
  const outputs = new Map<string, TryOutput>();
  let view: CommandView | undefined;
  const printAll = async (): Promise<void> => {
    for (const instance of view?.instances ?? []) {
      for (const one of instance.tries) {
        let output = outputs.get(one.containerId);
        if (!output) {
          output = new TryOutput(instance, one, user, job.instances > 1, json);
          outputs.set(one.containerId, output);
        }
        if (output.isDone) continue;
        await output.print(one.exitCode !== undefined);
        if (one.exitCode !== undefined && one.exitCode !== 0) tellFailure(instance, one);
      }
    }
  };
  const tellFailure = (instance: InstanceView, one: TryView): void => {
    if (instance.state === 'STOPPED') return;
    const again = one !== instance.tries.at(-1) || instance.state === 'WAITING';
    say(
      `instance ${instance.index} ended with exit code ${one.exitCode} (try ${instance.tries.indexOf(one) + 1})${again ? ', trying again' : ''}`,
    );
  };

  let app: ApplicationInfo = await talkPatiently(() => cluster.application(id));
  let told = '';
  const teller = new WaitTeller(() => cluster.explain(id), say);
  for (;;) {
    if (isOver(app.state)) break;
    if (app.state !== 'RUNNING' || !view || view.instances.some(({ tries }) => tries.length === 0)) await teller.look();
    if (app.state === 'RUNNING') {
      // Short waits keep the output flowing; the master answers a change of state at once.
      const latest = await master
        .json<CommandView>('GET', `/proxy/${id}/`, { query: { version: view?.version ?? 0 }, signal: AbortSignal.timeout(pollMs * 3) })
        .catch(() => undefined);
      if (Array.isArray(latest?.instances)) view = latest;
      await printAll();
      if (view && view.state !== 'RUNNING') await master.json('PUT', `/proxy/${id}/drained`).catch(() => {});
    } else if (app.state !== told && told !== '') say(`${id} is ${app.state}`);
    told = app.state ?? '';
    await new Promise((resolve) => setTimeout(resolve, view && view.state !== 'RUNNING' ? 20 : pollMs));
    app = await talkPatiently(() => cluster.application(id));
  }
  process.off('SIGINT', stop);
  process.off('SIGTERM', stop);
  return exitCodeOf(app, view, say, json);
}

function exitCodeOf(app: ApplicationInfo, view: CommandView | undefined, say: (text: string) => void, json: boolean): number {
  const told = /failed with exit code (-?\d+)/.exec(app.diagnostics ?? '')?.[1];
  let code = view?.exitCode ?? (told === undefined ? undefined : Number(told)) ?? (app.finalStatus === 'SUCCEEDED' ? 0 : 1);
  if (app.state === 'KILLED') code = 130;
  if (app.finalStatus !== 'SUCCEEDED' && code === 0) code = 1;
  if (code !== 0)
    say(`${app.id} ${app.state === 'FINISHED' ? app.finalStatus : app.state}: ${app.diagnostics?.trim() || 'no diagnostics'}`);
  if (json) process.stdout.write(`${JSON.stringify({ id: app.id, state: app.state, finalStatus: app.finalStatus, exitCode: code })}\n`);
  return code < 0 || code > 255 ? 1 : code;
}
