// Plays scenarios against the servers on YARN's own ports and writes what they answer: `record(id, server, method, path, rules)` of a
// scenario is one request. As small as the conformance script needs it.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const servers = { rm: 'http://127.0.0.1:8088', nm: 'http://localhost:8042', ats: 'http://127.0.0.1:8188', jhs: 'http://127.0.0.1:19888' };
const { values } = parseArgs({
  options: {
    scenarios: { type: 'string', default: '.' },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: '.' },
    hook: { type: 'string', multiple: true },
  },
});

for (const file of readdirSync(values.scenarios).filter((name) => name.endsWith('.mjs'))) {
  const { default: scenario } = await import(pathToFileURL(resolve(values.scenarios, file)).href);
  if (!values.only.split(',').includes(scenario?.name)) continue;
  const records = [];
  const record = async (id, server, method, path, rules = {}) => {
    const answer = await fetch(servers[server] + path, { method, headers: { 'accept-encoding': 'identity' } });
    const response = { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
    records.push({ id, ...rules, server, request: { method, path }, response });
  };
  await scenario.run({ record });
  mkdirSync(values.out, { recursive: true });
  const { name, cluster } = scenario;
  writeFileSync(join(values.out, `${name}.json`), `${JSON.stringify({ scenario: name, cluster, records }, null, 1)}\n`);
}
