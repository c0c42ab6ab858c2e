// A real browser for attacks and for tests of pages: Chromium as Debian packages it, installed where they run as root and it is not there.
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
const find = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => [join(folder, 'chromium'), join(folder, 'chromium-browser')])
    .find(isExecutable);

function install(): string {
  try {
    execFileSync('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', 'chromium'], { stdio: 'pipe', timeout: 150_000 });
    return find() ?? 'the package chromium holds no program of that name';
  } catch (error) {
    return `Chromium is not installed, and cannot be: ${(error as Error).message.split('\n')[0]}`;
  }
}

const found = find() ?? (process.getuid?.() === 0 ? install() : 'Chromium is not installed: apt-get install chromium');

/** The option `skip` of tests by a browser: false, or the reason. */
export const browserNeeded: string | false = isExecutable(found) ? false : found;

/** Starts the browser; to it all of `hosts` are 127.0.0.1, as if their owners had made their names point there. */
export const startBrowser = (hosts: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: found,
    chromiumSandbox: process.getuid?.() !== 0,
    // What the browser itself keeps from pages of other networks must not stand in for what the cluster does.
    args: [
      '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
      `--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join(', ')}`,
      '--no-proxy-server',
    ],
  });
