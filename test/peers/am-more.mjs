import { writeFileSync } from 'node:fs';
import { batch, clear, common, folder, nameContainers, recorded } from '../kit-batch.mjs';

export default {
  name: 'am-more',
  cluster: 'batch',
  about: 'the batch job master: formats, ids, methods, a failed attempt, a job without reduces',
  async run(c) {
    common(c);
    c.mask(/\d+\.\d+ MB\/s/g, '{rate} MB/s');
    await clear(c);
    const home = folder(c, 'home', { 'a.txt': 'one two three\n', 'b.txt': 'wait\n', 'c.txt': 'fail\n' });
    const job = await batch(
      c,
      'job1',
      'streaming',
      `${home}/in`,
      `${home}/out`,
      `bash -c 'read line; if [ "$line" = fail ]; then case $mapreduce_task_attempt_id in *_0) echo "not at once" >&2; exit 4;; esac; fi; if [ "$line" = wait ]; then while [ ! -e ${home}/go ]; do sleep 0.2; done; fi; echo "$line"; exec cat'`,
      'NONE',
      '-Dmapreduce.job.name=case, "b" & <c> ä',
      '-Dmapreduce.job.maps=1',
      '-Dmapreduce.map.speculative=false',
    );
    const am = job.proxy,
      jobs = `${am}/jobs`,
      one = `${jobs}/${job.job}`;
    const get = (id, path, options) => c.record(id, 'rm', 'GET', path, options);
    const tasks = async () => (await c.http('rm', 'GET', `${one}/tasks`)).json?.tasks?.task ?? [];
    await c.until(
      'two done, one running',
      async () => {
        const all = await tasks();
        return all.filter((t) => t.state === 'SUCCEEDED').length === 2 && all.filter((t) => t.state === 'RUNNING').length === 1;
      },
      180,
    );
    await c.sleep(4000);
    await nameContainers(c, 'job1', 'rm', jobs, job.job);
    const list = await tasks(),
      of = async (t) => (await c.http('rm', 'GET', `${one}/tasks/${t.id}/attempts`)).json.taskAttempts.taskAttempt;
    const busy = list.find((t) => t.state === 'RUNNING').id;
    let twice;
    for (const t of list) if ((await of(t)).length === 2) twice = t.id;
    const quick = list.find((t) => t.state === 'SUCCEEDED' && t.id !== twice).id;
    for (const [name, id] of Object.entries({ busy, twice, quick })) {
      c.name(`task.${name}`, id);
      for (const k of [0, 1]) c.name(`attempt.${name}.${k}`, `${id.replace('task', 'attempt')}_${k}`);
    }
    const loose = ['progress', 'mapProgress', 'reduceProgress', 'diagnostics'],
      sets = { unordered: ['task', 'taskAttempt'] };
    const attempt = (task, k) => `${one}/tasks/${task}/attempts/${task.replace('task', 'attempt')}_${k}`;

    for (const [id, accept] of [
      ['any', '*/*'],
      ['html', 'text/html'],
      ['text', 'text/plain'],
      ['two', 'application/xml, application/json'],
      ['quality', 'application/json;q=0.1, application/xml;q=0.9'],
      ['browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
      ['wild', 'application/*'],
      ['textxml', 'text/xml'],
      ['broken', 'json'],
    ])
      for (const [name, path] of [
        ['info', `${am}/info`],
        ['job', one],
        ['unknown', `${jobs}/job_1_0001`],
        ['counters', `${one}/counters`],
        ['state', `${attempt(quick, 0)}/state`],
      ])
        await get(`accept-${name}-${id}`, path, { headers: { accept }, loose });
    for (const method of ['HEAD', 'POST', 'DELETE', 'OPTIONS'])
      for (const [name, path] of [
        ['job', one],
        ['tasks', `${one}/tasks`],
        ['state', `${attempt(busy, 0)}/state`],
      ])
        await c.record(`${name}-${method.toLowerCase()}`, 'rm', method, path, { user: 'root', ...(method === 'POST' ? { body: {} } : {}) });
    for (const [id, path] of [
      ['slash', `${am}/`],
      ['jobs-slash', `${jobs}/`],
      ['job-slash', `${one}/`],
      ['tasks-slash', `${one}/tasks/`],
      ['info-deeper', `${am}/info/x`],
      ['job-deeper', `${one}/x`],
      ['upper', `${am}/JOBS`],
      ['query', `${one}?x=y`],
      ['jobs-query', `${jobs}?state=x&limit=0`],
      ['ws', `/proxy/${job.app}/ws/v1`],
      ['other', `/proxy/${job.app}/ws/v1/nothing`],
      ['history', `/proxy/${job.app}/ws/v1/history/info`],
    ])
      await get(`path-${id}`, path, { loose, cut: 200 });
    await get('job', one, { xml: true, loose });
    await get('jobs', jobs, { xml: true, loose });
    await get('counters', `${one}/counters`, { xml: true });
    await get('tasks', `${one}/tasks`, { xml: true, loose, ...sets });
    for (const type of ['m', 'r', 'R', '%20m', 'm,r', 'MAP'])
      await get(`tasks-${type}`, `${one}/tasks?type=${type}`, { xml: true, loose, ...sets });
    for (const [name, id] of [
      ['busy', busy],
      ['twice', twice],
      ['quick', quick],
    ]) {
      await get(`task-${name}`, `${one}/tasks/${id}`, { xml: true, loose });
      await get(`task-${name}-counters`, `${one}/tasks/${id}/counters`, { xml: true });
      await get(`task-${name}-attempts`, `${one}/tasks/${id}/attempts`, { xml: true, loose, ...sets });
      for (const k of [0, 1]) {
        await get(`attempt-${name}-${k}`, attempt(id, k), { xml: true, loose });
        await get(`attempt-${name}-${k}-counters`, `${attempt(id, k)}/counters`, { xml: true });
        await get(`attempt-${name}-${k}-state`, `${attempt(id, k)}/state`, { xml: true });
      }
    }
    const n = job.n,
      [stamp, sequence] = n.split('_');
    for (const [id, j] of [
      ['padded', `job_${stamp}_000${sequence}`],
      ['upper', job.job.toUpperCase()],
      ['blanks', `%20${job.job}%20`],
      ['blank', '%20'],
      ['trailing', `${job.job}_1`],
      ['short', `job_${stamp}`],
      ['plain', 'job'],
      ['negative', `job_${stamp}_-1`],
      ['huge', `job_${stamp}_99999999999`],
      ['stamp', 'job_99999999999999999999_0001'],
      ['matrix', `${job.job};a=b`],
      ['html', 'job_<b>'],
    ]) {
      await get(`id-${id}`, `${jobs}/${j}`, { xml: true, loose });
      await get(`id-${id}-tasks`, `${jobs}/${j}/tasks`, { loose, ...sets });
    }
    for (const [id, t] of [
      ['unpadded', `task_${n}_m_${Number(quick.slice(-6))}`],
      ['upper', quick.toUpperCase()],
      ['kind', `task_${n}_M_000000`],
      ['blank', '%20'],
      ['short', `task_${n}_m`],
      ['negative', `task_${n}_m_-1`],
      ['huge', `task_${n}_m_99999999999`],
      ['trailing', `${quick}_0`],
      ['html', 'task_<b>'],
      ['cleanup', `task_${n}_c_000000`],
    ])
      await get(`task-${id}`, `${one}/tasks/${t}`, { xml: true, loose });
    for (const [id, a] of [
      ['unpadded', `attempt_${n}_m_${Number(quick.slice(-6))}_0`],
      ['upper', `${quick.replace('task', 'attempt')}_0`.toUpperCase()],
      ['blank', '%20'],
      ['short', `attempt_${n}_m_000000`],
      ['negative', `${quick.replace('task', 'attempt')}_-1`],
      ['huge', `${quick.replace('task', 'attempt')}_99999999999`],
      ['trailing', `${quick.replace('task', 'attempt')}_0_0`],
      ['html', 'attempt_<b>'],
    ])
      await get(`attempt-${id}`, `${one}/tasks/${quick}/attempts/${a}`, { xml: true, loose });
    const put = (id, body, { path = `${attempt(busy, 0)}/state`, ...options } = {}) =>
      c.record(id, 'rm', 'PUT', path, { user: 'root', body, ...options });
    await put('put-null', 'null');
    await put('put-string', '"KILLED"');
    await put('put-number', '5');
    await put('put-state-null', { state: null });
    await put('put-state-number', { state: 5 });
    await put('put-state-list', { state: ['KILLED'] });
    await put('put-blank', { state: ' ' });
    await put('put-blanks', { state: ' KILLED' });
    await put('put-unknown-state', { state: 'NOSUCH' });
    await put('put-wrapped', { jobTaskAttemptState: { state: 'RUNNING' } });
    await put('put-xml-wrong-root', '<x><state>RUNNING</state></x>', { headers: { 'content-type': 'application/xml' } });
    await put('put-xml-more', '<jobTaskAttemptState><state>RUNNING</state><x/></jobTaskAttemptState>', {
      headers: { 'content-type': 'application/xml' },
    });
    await put('put-xml-empty', '<jobTaskAttemptState/>', { headers: { 'content-type': 'application/xml' } });
    await put('put-slash', { state: 'RUNNING' }, { path: `${attempt(busy, 0)}/state/` });
    await put('put-accept-html', { state: 'RUNNING' }, { accept: 'text/html' });
    await put('put-failed-one', { state: 'KILLED' }, { path: `${attempt(twice, 0)}/state` });
    await put('put-failed-same', { state: 'FAILED' }, { path: `${attempt(twice, 0)}/state` });
    await put('put-done', { state: 'KILLED' }, { path: `${attempt(quick, 0)}/state` });
    await get('counters-stranger', `${one}/counters`, { user: 'ada' });
    await get('page-job', `/proxy/${job.app}/mapreduce/job/${job.job}`);
    await get('page-root', `/proxy/${job.app}/mapreduce`);
    await get('page-tasks', `/proxy/${job.app}/mapreduce/tasks/${job.job}/m`);
    writeFileSync(`${home}/go`, '');
    await job.done;
    await recorded(c, job);
  },
};
