// `heddle job …` against one server that answers as the cluster and as its job history.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { type CommandLine, type CommandResult, commandsAt, type StubServer } from './command-line.ts';

/** What runs `heddle job` with arguments, in all tests of a file; the server listens until they are over. */
export function jobCommands(server: StubServer): (...args: string[]) => Promise<CommandResult> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-job-commands-'));
  let commands: CommandLine;
  before(async () => {
    const url = await server.listen();
    commands = commandsAt(url);
    writeFileSync(join(folder, 'heddle.yaml'), `mapreduce.jobhistory.webapp.address: "${new URL(url).host}"\n`);
  });
  after(async () => {
    await commands[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  return (...args) => commands.run('job', ...args, '--conf', folder);
}
