// What scenarios cannot do through the interfaces: run a batch job, start and stop node managers, exclude nodes.
//   node hook.ts batch ARGUMENTS… | nm-start N | nm-stop N | nm-kill N | exclude HOST…
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHeddle, stopHeddle } from './daemons.ts';
import { writeNodeSettings } from './peer-settings.ts';

const home = process.env['HEDDLE_CONFORMANCE_HOME'] ?? '';
const main = join(import.meta.dirname, '../../src/main.ts');
const [kind, ...args] = process.argv.slice(2);

/** Settings of the node started alone, as `NODE_SETTINGS="k=v k=v"`. */
const nodeSettings = () =>
  Object.fromEntries(
    (process.env['NODE_SETTINGS'] ?? '')
      .split(' ')
      .filter(Boolean)
      .map((pair) => pair.split(/=(.*)/s)),
  );

function startNode(number: number): void {
  const confDir = number === 0 ? join(home, 'conf') : writeNodeSettings(home, number, nodeSettings());
  // Nodes of one cluster share its secret; the rest of their data is their own.
  const secret = ['--set', `heddle.cluster.secret-file=${join(home, 'data/secrets/cluster')}`];
  const data = join(home, number === 0 ? 'data' : `data${number}`);
  startHeddle(home, `node-manager${number}`, ['start', 'node-manager', '--conf', confDir, '--data', data, ...secret]);
}

switch (kind) {
  case 'batch': {
    const child = spawn(process.execPath, [main, 'batch', ...args, '--conf', join(home, 'conf'), '--data', join(home, 'data')], {
      stdio: 'inherit',
    });
    child.on('close', (code) => {
      process.exitCode = code ?? 1;
    });
    break;
  }
  case 'nm-start':
    startNode(Number(args[0] ?? 0));
    break;
  case 'nm-stop':
    await stopHeddle(home, `node-manager${args[0] ?? 0}`, 'SIGTERM');
    break;
  case 'nm-kill':
    await stopHeddle(home, `node-manager${args[0] ?? 0}`, 'SIGKILL');
    break;
  case 'exclude': {
    writeFileSync(join(home, 'conf/exclude'), args.map((host) => `${host}\n`).join(''));
    const graceful = process.env['GRACEFUL'] ? ['--graceful', '30'] : [];
    const refresh = ['node', 'refresh', ...graceful, '--conf', join(home, 'conf'), '--data', join(home, 'data')];
    process.exitCode = spawnSync(process.execPath, [main, ...refresh], { stdio: 'inherit' }).status ?? 1;
    break;
  }
  default:
    console.error(`no hook ${kind}`);
    process.exitCode = 2;
}
