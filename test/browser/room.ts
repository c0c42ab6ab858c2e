// The tests by a browser that are named on the command line, in one process: each file is a suite of its own, two at a time, as each waits for much.
import { describe, suite } from 'node:test';
// Here rather than in the first file that needs it: what it does at the end is after all of them.
import './visitor.ts';

/** For one file; machines that check are busy with other things. */
const limitMs = 300_000;
/** What takes long starts first. */
const longest = ['cluster.browser.ts', 'jobs.browser.ts', 'queues.browser.ts'];

const named = process.argv.slice(2);
const files = [...longest.filter((file) => named.includes(file)), ...named.filter((file) => !longest.includes(file))];
describe('pages in a browser', { concurrency: 2 }, () => {
  for (const file of files) suite(file, { concurrency: 1, timeout: limitMs }, async () => void (await import(`./${file}`)));
});
