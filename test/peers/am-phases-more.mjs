// A batch job in its phases: maps run, one fails and is tried again, one is killed over REST, a reduce waits, runs, is killed; then its history with every parameter.
import { writeFileSync } from 'node:fs';
import { batch, clear, common, folder, HISTORY, JOBS, nameContainers, recorded } from '../kit-batch.mjs';

export default {
  name: 'am-phases-more',
  cluster: 'batch',
  about: 'a batch job in its phases, tasks killed over REST, and its history with every parameter',
  async run(c) {
    common(c);
    c.mask(/\d+\.\d+ MB\/s/g, '{rate} MB/s');
    await clear(c);
    const home = folder(c, 'home', { 'a.txt': 'one two\n', 'b.txt': 'wait\n', 'c.txt': 'wait\n' });
    const wait = (f) => `while [ ! -e ${home}/${f} ]; do sleep 0.2; done`;
    const job = await batch(
      c,
      'job1',
      'streaming',
      `${home}/in`,
      `${home}/out`,
      `bash -c 'read line; if [ "$line" = wait ]; then ${wait('go')}; fi; echo "$line"; exec cat'`,
      `bash -c '${wait('reduce')}; exec cat'`,
      '-Dmapreduce.job.name=phases',
      '-Dmapreduce.job.maps=1',
      '-Dmapreduce.job.reduces=2',
      '-Dmapreduce.map.speculative=false',
      '-Dmapreduce.reduce.speculative=false',
      '-Dmapreduce.job.reduce.slowstart.completedmaps=1.0',
      '-Dmapreduce.map.maxattempts=3',
    );
    const am = job.proxy,
      jobs = `${am}/jobs`,
      one = `${jobs}/${job.job}`;
    const loose = [
      'status',
      'progress',
      'mapProgress',
      'reduceProgress',
      'diagnostics',
      'elapsedTime',
      'mapsPending',
      'mapsRunning',
      'reducesPending',
      'successfulMapAttempts',
      'assignedContainerId',
      'nodeHttpAddress',
    ];
    const get = (id, path, options) =>
      c.record(id, 'rm', 'GET', path, { loose, unordered: ['task', 'taskAttempt', 'property'], ...options });
    const tasks = async () => (await c.http('rm', 'GET', `${one}/tasks`)).json?.tasks?.task ?? [];
    const attempts = async (t) => (await c.http('rm', 'GET', `${one}/tasks/${t}/attempts`)).json.taskAttempts.taskAttempt ?? [];
    await c.until(
      'two wait, one done',
      async () => {
        const all = (await tasks()).filter((t) => t.type === 'MAP');
        return all.filter((t) => t.state === 'SUCCEEDED').length === 1 && all.filter((t) => t.state === 'RUNNING').length === 2;
      },
      240,
    );
    await c.sleep(3000);
    const list = (await tasks()).filter((t) => t.type === 'MAP');
    const [w0, w1] = list
      .filter((t) => t.state === 'RUNNING')
      .map((t) => t.id)
      .sort();
    const done = list.find((t) => t.state === 'SUCCEEDED').id;
    const [r0, r1] = (await tasks())
      .filter((t) => t.type === 'REDUCE')
      .map((t) => t.id)
      .sort();
    for (const [name, id] of Object.entries({ w0, w1, done, r0, r1 })) {
      c.name(`task.${name}`, id);
      for (const k of [0, 1, 2]) c.name(`attempt.${name}.${k}`, `${id.replace('task', 'attempt')}_${k}`);
    }
    const att = (t, k = 0) => `${one}/tasks/${t}/attempts/${t.replace('task', 'attempt')}_${k}`;
    const all = async (id) => {
      await get(`${id}.info`, `${am}/info`, { xml: true });
      await get(`${id}.jobs`, jobs, { xml: true });
      await get(`${id}.job`, one, { xml: true });
      await get(`${id}.jobattempts`, `${one}/jobattempts`, { xml: true });
      await get(`${id}.conf`, `${one}/conf`, { pick: (j) => Object.keys(j.conf) });
      for (const type of ['', '?type=m', '?type=r', '?type=map', '?type=M', '?type=', '?type=m&type=r', '?type=x', '?TYPE=r'])
        await get(`${id}.tasks${type}`, `${one}/tasks${type}`, { xml: true });
      for (const [name, t] of Object.entries({ w0, w1, done, r0, r1 })) {
        await get(`${id}.${name}`, `${one}/tasks/${t}`, { xml: true });
        await get(`${id}.${name}.attempts`, `${one}/tasks/${t}/attempts`, { xml: true });
        for (const k of [0, 1, 2]) {
          await get(`${id}.${name}.${k}`, att(t, k), { xml: k === 0 });
          await get(`${id}.${name}.${k}.state`, `${att(t, k)}/state`, { xml: k === 0 });
        }
      }
      await get(`${id}.blacklisted`, `/proxy/${job.app}/ws/v1/mapreduce/blacklistednodes`, { xml: true });
    };
    const put = (id, path, body, options = {}) => c.record(id, 'rm', 'PUT', path, { user: 'root', body, loose, ...options });
    await all('maps');
    // what changes nothing
    for (const [n, body] of [
      { state: 'RUNNING' },
      { state: 'SUCCEEDED' },
      { state: 'FAILED' },
      { state: 'killed' },
      { state: 'NEW' },
      {},
      { State: 'KILLED' },
      { state: 'KILLED', more: 1 },
      '',
      'x',
      '[]',
      { jobTaskAttemptState: { state: 'KILLED' } },
    ].entries()) {
      if (JSON.stringify(body).includes('"KILLED"')) continue;
      await put(`put.${n}`, `${att(w0)}/state`, body);
      await put(`put-xml.${n}`, `${att(w0)}/state`, body, { accept: 'application/xml' });
    }
    for (const [n, [path, user]] of [
      [`${att(w0, 1)}/state`],
      [`${att(done)}/state`],
      [`${one}/tasks/${w0}/attempts/x/state`],
      [`${one}/tasks/x/attempts/${w0.replace('task', 'attempt')}_0/state`],
      [`${jobs}/job_1_0001/tasks/${w0}/attempts/${w0.replace('task', 'attempt')}_0/state`],
      [`${one}/tasks/${w1}/attempts/${w0.replace('task', 'attempt')}_0/state`],
      [`${att(r0)}/state`],
      [`${att(w0)}/state`, 'ada'],
      [`${one}/tasks/${w0}/state`],
      [`${one}/state`],
    ].entries()) {
      if (n === 5) continue;
      await put(`put-at.${n}`, path, { state: user ? 'RUNNING' : 'KILLED' }, user ? { user } : {});
    }
    // a map attempt is killed, its task goes on with another
    await put('kill', `${att(w0)}/state`, { state: 'KILLED' });
    await c.until('the second attempt', async () => (await attempts(w0)).some((a) => a.id.endsWith('_1') && a.state === 'RUNNING'), 120);
    await c.until('the first is killed', async () => (await attempts(w0)).some((a) => a.id.endsWith('_0') && a.state === 'KILLED'), 60);
    await c.until(
      'the map that was done is done again',
      async () => (await tasks()).find(({ id }) => id === done)?.state === 'SUCCEEDED',
      120,
    );
    await c.sleep(2500);
    await put('kill-again', `${att(w0)}/state`, { state: 'KILLED' });
    await all('killed');
    await put('kill-xml', `${att(w0, 1)}/state`, '<jobTaskAttemptState><state>KILLED</state></jobTaskAttemptState>', {
      headers: { 'content-type': 'application/xml' },
      accept: 'application/xml',
    });
    await c.until('the third attempt', async () => (await attempts(w0)).some((a) => a.id.endsWith('_2') && a.state === 'RUNNING'), 120);
    await c.sleep(2500);
    writeFileSync(`${home}/go`, '');
    await c.until(
      'reduces run',
      async () => {
        const rs = (await tasks()).filter((t) => t.type === 'REDUCE');
        return rs.length === 2 && rs.every((t) => t.state === 'RUNNING');
      },
      180,
    );
    for (const r of [r0, r1])
      await c
        .until(
          `${r} runs`,
          async () => (await attempts(r)).some((a) => a.state === 'RUNNING' && a.elapsedShuffleTime >= 0 && a.mergeFinishTime > 0),
          60,
        )
        .catch(() => 0);
    await c.sleep(4000);
    await all('reduces');
    await put('kill-reduce', `${att(r0)}/state`, { state: 'KILLED' });
    await c.until('the second reduce', async () => (await attempts(r0)).some((a) => a.id.endsWith('_1') && a.state === 'RUNNING'), 120);
    await c.until(
      'the first reduce is killed',
      async () => (await attempts(r0)).some((a) => a.id.endsWith('_0') && a.state === 'KILLED'),
      60,
    );
    await c.sleep(4000);
    await all('reduce-killed');
    await nameContainers(c, 'job1', 'rm', jobs, job.job);
    writeFileSync(`${home}/reduce`, '');
    await job.done;
    await recorded(c, job);
    const begin = (await c.http('jhs', 'GET', `${JOBS}/${job.job}`)).json.job;
    const history = (id, path, options) =>
      c.record(id, 'jhs', 'GET', path, { loose, unordered: ['task', 'taskAttempt', 'property'], ...options });
    await history('history.job', `${JOBS}/${job.job}`, { xml: true });
    await history('history.counters', `${JOBS}/${job.job}/counters`, { xml: true });
    for (const type of ['', '?type=m', '?type=r', '?type=x'])
      await history(`history.tasks${type}`, `${JOBS}/${job.job}/tasks${type}`, { xml: true });
    for (const [name, t] of Object.entries({ w0, w1, done, r0, r1 })) {
      await history(`history.${name}`, `${JOBS}/${job.job}/tasks/${t}`, { xml: true });
      await history(`history.${name}.attempts`, `${JOBS}/${job.job}/tasks/${t}/attempts`, { xml: true });
      await history(`history.${name}.counters`, `${JOBS}/${job.job}/tasks/${t}/counters`, {
        pick: (j) => j.jobTaskCounters?.taskCounterGroup?.map((g) => [g.counterGroupName, g.counter.length]) ?? j,
      });
      for (const k of [0, 1, 2]) {
        await history(`history.${name}.${k}`, `${JOBS}/${job.job}/tasks/${t}/attempts/${t.replace('task', 'attempt')}_${k}`, { xml: true });
        await history(
          `history.${name}.${k}.counters`,
          `${JOBS}/${job.job}/tasks/${t}/attempts/${t.replace('task', 'attempt')}_${k}/counters`,
          { xml: true },
        );
      }
    }
    const s = begin.startTime,
      f = begin.finishTime;
    for (const [n, query] of [
      `user=root`,
      'user=ada',
      'user=',
      'user=ROOT',
      'state=SUCCEEDED',
      'state=succeeded',
      'state=FAILED',
      'state=',
      'state=RUNNING',
      'state=x',
      'state=SUCCEEDED&state=FAILED',
      'state=SUCCEEDED,FAILED',
      'queue=default',
      'queue=root.default',
      'queue=x',
      'queue=',
      'limit=0',
      'limit=1',
      'limit=-1',
      'limit=x',
      'limit=',
      'limit=1.5',
      'limit=99999999999',
      `startedTimeBegin=${s}`,
      `startedTimeBegin=${s + 1}`,
      `startedTimeEnd=${s}`,
      `startedTimeEnd=${s - 1}`,
      `startedTimeBegin=${s}&startedTimeEnd=${s}`,
      `startedTimeBegin=${s + 1}&startedTimeEnd=${s}`,
      'startedTimeBegin=-1',
      'startedTimeBegin=x',
      'startedTimeBegin=',
      'startedTimeBegin=0',
      'startedTimeEnd=0',
      'startedTimeEnd=-5',
      `finishedTimeBegin=${f}`,
      `finishedTimeBegin=${f + 1}`,
      `finishedTimeEnd=${f}`,
      `finishedTimeEnd=${f - 1}`,
      `finishedTimeBegin=${f + 1}&finishedTimeEnd=${f}`,
      'finishedTimeBegin=x',
      'finishedTimeEnd=-1',
      `startedTimeBegin=${s}&finishedTimeEnd=${f}&user=root&state=SUCCEEDED&queue=default&limit=1`,
      'USER=ada',
      'offset=1',
      'startedTimeBegin=1&startedTimeBegin=x',
    ].entries())
      await history(`query.${n}`, `${JOBS}?${query}`, { xml: n % 3 === 0, note: query.replace(/\d{13}/g, 'N') });
    await history('history.jobattempts', `${JOBS}/${job.job}/jobattempts`, { xml: true });
    await history('info', `${HISTORY}/info`, { xml: true });
  },
};
