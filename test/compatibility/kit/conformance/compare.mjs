// Compares folders of recordings, GOLDEN and OURS, by the rules of the comparison beside this kit. Prints a line for each scenario, its
// differences, and a sum at the end. As small as the conformance script needs it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const {
  values,
  positionals: [golden, ours],
} = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, accept: { type: 'string' }, verbose: { type: 'boolean' } },
});
const { differences } = await import(process.env.HEDDLE_TEST_COMPARISON);
const read = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).records : []);
const only = values.only?.split(',');
const told = [];
let same = 0;
let total = 0;
for (const file of readdirSync(golden).filter((name) => name.endsWith('.json'))) {
  const name = file.replace(/\.json$/, '');
  if (only && !only.includes(name)) continue;
  const answers = new Map(read(join(ours, file)).map((record) => [record.id, record.response]));
  const recorded = read(join(golden, file));
  let here = 0;
  for (const record of recorded) {
    const answer = answers.get(record.id);
    const found = answer ? differences(record, answer) : ['there is no answer'];
    if (found.length === 0) here++;
    else told.push(`  ${name} ${record.id}`, ...found.map((one) => `    ${one}`));
  }
  console.log(`${name}: ${here} of ${recorded.length} the same`);
  same += here;
  total += recorded.length;
}
for (const line of told) console.log(line);
console.log(
  `${same} of ${total} recordings the same (${((100 * same) / total).toFixed(1)} %), 0 better, 0 accepted, ${total - same} different`,
);
process.exitCode = same === total ? 0 : 1;
