import { clear, common, finished, folder, HISTORY, JOBS, nameContainers } from '../kit-batch.mjs';

export default {
  name: 'jhs-more',
  cluster: 'batch',
  about: 'the job history server: formats, ids, filters, methods',
  async run(c) {
    common(c);
    await clear(c);
    const get = (id, path, options) => c.record(id, 'jhs', 'GET', path, options);
    const begin = c.name('begin', String(Date.now()));
    const home = folder(c, 'home', { 'a.txt': 'the quick brown fox\n', 'b.txt': 'the end\n' });
    const steady = ['-Dmapreduce.map.speculative=false', '-Dmapreduce.reduce.speculative=false'];
    const count = await finished(c, 'job1', 'wordcount', `${home}/in`, `${home}/out1`, ...steady, '-Dmapreduce.job.name=a, "b" & <c> ä%2F');
    const fail = await finished(
      c,
      'job2',
      'streaming',
      `${home}/in`,
      `${home}/out2`,
      'cat',
      'false',
      ...steady,
      '-Dmapreduce.job.name=fails',
      '-Dmapreduce.reduce.maxattempts=2',
    );
    const uber = await finished(c, 'job3', 'wordcount', `${home}/in`, `${home}/out3`, ...steady, '-Dmapreduce.job.ubertask.enable=true');
    const all = [count, fail, uber];
    // All tasks of the third are in the container of its master, which has the number of its application.
    for (const [i, { job }] of [count, fail].entries()) await nameContainers(c, `job${i + 1}`, 'jhs', JOBS, job);
    const since = `${JOBS}?startedTimeBegin=${begin}`,
      one = `${JOBS}/${count.job}`;
    const job = (await c.http('jhs', 'GET', one)).json.job;
    const loose = ['avgMapTime', 'avgReduceTime', 'diagnostics'];

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
      ['charset', 'application/json;charset=iso-8859-1'],
    ])
      for (const [name, path] of [
        ['info', `${HISTORY}/info`],
        ['job', one],
        ['unknown', `${JOBS}/job_1_0001`],
        ['bad', `${JOBS}?limit=x`],
        ['tasks', `${one}/tasks?type=r`],
        ['none', `${JOBS}?user=nobody-at-all`],
      ])
        await get(`accept-${name}-${id}`, path, { headers: { accept }, loose });
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
      for (const [name, path] of [
        ['job', one],
        ['jobs', JOBS],
        ['tasks', `${one}/tasks`],
        ['attempt', `${one}/tasks/${count.task('m', 0)}/attempts/${count.attempt('m', 0)}`],
      ])
        await c.record(`${name}-${method.toLowerCase()}`, 'jhs', method, path, {
          user: 'root',
          ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
        });
    await get('gzip', one, { headers: { 'accept-encoding': 'gzip' }, loose });
    for (const [id, path] of [
      ['root-slash', `${HISTORY}/`],
      ['mapreduce-slash', `${HISTORY}/mapreduce/`],
      ['jobs-slash', `${JOBS}/?startedTimeBegin=${begin}`],
      ['job-slash', `${one}/`],
      ['tasks-slash', `${one}/tasks/`],
      ['counters-slash', `${one}/counters/`],
      ['conf-deeper', `${one}/conf/x`],
      ['job-deeper', `${one}/nothing`],
      ['upper', JOBS.toUpperCase()],
      ['double', `${HISTORY}//info`],
      ['info-deeper', `${HISTORY}/info/x`],
      ['task-slash', `${one}/tasks/${count.task('m', 0)}/`],
      ['attempts-slash', `${one}/tasks/${count.task('m', 0)}/attempts/`],
      ['task-deeper', `${one}/tasks/${count.task('m', 0)}/x`],
      ['ws', '/ws/v1'],
      ['ws-mapreduce', '/ws/v1/mapreduce/jobs'],
    ])
      await get(`path-${id}`, path, { loose, cut: 200 });

    for (const [id, query] of [
      ['state-new', 'state=NEW'],
      ['state-inited', 'state=INITED'],
      ['state-mixed', 'state=Succeeded'],
      ['state-blank', 'state=%20'],
      ['state-two', 'state=FAILED,SUCCEEDED'],
      ['state-twice', 'state=FAILED&state=SUCCEEDED'],
      ['user-case', 'user=ROOT'],
      ['user-blanks', 'user=%20root'],
      ['user-two', 'user=root,ada'],
      ['queue-blanks', 'queue=%20root.default'],
      ['queue-case', 'queue=ROOT.default'],
      ['limit-plus', 'limit=%2B1'],
      ['limit-blanks', 'limit=%201'],
      ['limit-float', 'limit=1.5'],
      ['limit-hex', 'limit=0x1'],
      ['limit-twice', 'limit=1&limit=x'],
      ['limit-overflow', 'limit=9223372036854775808'],
      ['limit-user', 'limit=1&user=root'],
      ['limit-queue', 'limit=1&queue=root.default'],
      ['finished-same', `finishedTimeBegin=${job.finishTime}&finishedTimeEnd=${job.finishTime}`],
      ['finished-after', `finishedTimeBegin=${job.finishTime + 1}`],
      ['finished-until', `finishedTimeEnd=${job.finishTime - 1}`],
      ['started-until', `startedTimeEnd=${job.startTime}`],
      ['started-until-before', `startedTimeEnd=${job.startTime - 1}`],
      ['finished-order', `finishedTimeBegin=5&finishedTimeEnd=5`],
      ['finished-zero', 'finishedTimeBegin=0&finishedTimeEnd=0'],
      ['finished-empty', 'finishedTimeBegin='],
      ['finished-end-text', 'finishedTimeEnd=x'],
      ['finished-begin-negative', 'finishedTimeBegin=-1'],
      ['upper', 'LIMIT=1'],
      ['three-bad', 'finishedTimeBegin=-1&startedTimeEnd=-1&limit=0'],
      ['state-limit-failed', 'state=FAILED&limit=1'],
      ['state-finished', `state=SUCCEEDED&finishedTimeBegin=${job.finishTime}`],
    ])
      await get(`jobs-${id}`, `${since}&${query}`, { loose });
    for (const [id, query] of [
      ['begin-same', `startedTimeBegin=${job.startTime}&startedTimeEnd=${job.startTime}`],
      ['begin-empty', 'startedTimeBegin=&user=nobody-at-all'],
      ['begin-plus', `startedTimeBegin=%2B${begin}`],
      ['begin-float', 'startedTimeBegin=1.0'],
      ['both-negative', 'startedTimeBegin=-1&finishedTimeEnd=-1'],
      ['both-order', 'startedTimeBegin=10&startedTimeEnd=5&finishedTimeBegin=10&finishedTimeEnd=5'],
    ])
      await get(`jobs-${id}`, `${JOBS}?${query}`, { loose });

    for (const [i, { job: id, task, attempt }] of all.entries()) {
      const at = `${JOBS}/${id}`,
        name = ['count', 'fail', 'uber'][i];
      await get(name, at, { xml: true, loose });
      for (const part of ['jobattempts', 'counters', 'tasks', 'tasks?type=m', 'tasks?type=r'])
        await get(`${name}-${part}`, `${at}/${part}`, { xml: true, loose });
      for (const [kind, n, k] of [
        ['m', 0, 0],
        ['m', 1, 0],
        ['r', 0, 0],
        ['r', 0, 1],
      ]) {
        const t = `${at}/tasks/${task(kind, n)}`;
        if (k === 0)
          for (const part of ['', '/counters', '/attempts']) await get(`${name}-${kind}${n}${part}`, `${t}${part}`, { xml: true, loose });
        for (const part of ['', '/counters'])
          await get(`${name}-${kind}${n}-${k}${part}`, `${t}/attempts/${attempt(kind, n, k)}${part}`, { xml: true, loose });
      }
    }
    const n = c.value('job1.n'),
      [stamp, sequence] = n.split('_');
    for (const [id, j] of [
      ['padded', `job_${stamp}_000${sequence}`],
      ['upper', count.job.toUpperCase()],
      ['blanks', `%20${count.job}%20`],
      ['blank', '%20'],
      ['trailing', `${count.job}_1`],
      ['underscore', `${count.job}_`],
      ['short', `job_${stamp}`],
      ['plain', 'job'],
      ['negative', `job_${stamp}_-1`],
      ['plus', `job_${stamp}_+1`],
      ['huge', `job_${stamp}_99999999999`],
      ['stamp', 'job_99999999999999999999_0001'],
      ['text', `job_local_${sequence}`],
      ['matrix', `${count.job};a=b`],
      ['spaces', `job_${stamp}_ 1`],
      ['colon', 'job:1'],
      ['task', count.task('m', 0)],
      ['html', 'job_<b>'],
    ]) {
      await get(`id-${id}`, `${JOBS}/${j}`, { xml: true, loose });
      await get(`id-${id}-tasks`, `${JOBS}/${j}/tasks`);
      await get(`id-${id}-counters`, `${JOBS}/${j}/counters`);
      await get(`id-${id}-attempts`, `${JOBS}/${j}/jobattempts`);
    }
    for (const [id, t] of [
      ['unpadded', `task_${n}_m_0`],
      ['padded', `task_${n}_m_00000000`],
      ['upper', count.task('m', 0).toUpperCase()],
      ['kind', `task_${n}_M_000000`],
      ['blank', '%20'],
      ['short', `task_${n}_m`],
      ['negative', `task_${n}_m_-1`],
      ['huge', `task_${n}_m_99999999999`],
      ['trailing', `${count.task('m', 0)}_0`],
      ['attempt', count.attempt('m', 0)],
      ['html', 'task_<b>'],
      ['kinds', `task_${n}_mr_000000`],
      ['cleanup', `task_${n}_c_000000`],
    ]) {
      for (const [part, rest] of [
        ['', ''],
        ['-counters', '/counters'],
        ['-attempts', '/attempts'],
      ])
        await get(`task-${id}${part}`, `${one}/tasks/${t}${rest}`, { xml: part === '', loose });
    }
    for (const [id, a] of [
      ['unpadded', `attempt_${n}_m_0_0`],
      ['padded', `attempt_${n}_m_000000_000`],
      ['upper', count.attempt('m', 0).toUpperCase()],
      ['blank', '%20'],
      ['short', `attempt_${n}_m_000000`],
      ['negative', `attempt_${n}_m_000000_-1`],
      ['huge', `attempt_${n}_m_000000_99999999999`],
      ['trailing', `${count.attempt('m', 0)}_0`],
      ['reduce', count.attempt('r', 0)],
      ['other-job', fail.attempt('m', 0)],
      ['html', 'attempt_<b>'],
    ]) {
      for (const [part, rest] of [
        ['', ''],
        ['-counters', '/counters'],
      ])
        await get(`attempt-${id}${part}`, `${one}/tasks/${count.task('m', 0)}/attempts/${a}${rest}`, { xml: part === '', loose });
    }
    for (const type of ['R', 'MAP', 'REDUCE', '%20m', 'm,r', 'm&type=r'])
      await get(`type-${type}`, `${one}/tasks?type=${type}`, { xml: true });
    await get('conf-xml-unknown', `${JOBS}/job_1_0001/conf`, { accept: 'application/xml' });
    await get('conf-html', `${one}/conf`, { accept: 'text/html', cut: 50 });
    await get('query-ignored', `${one}?x=y&limit=x`, { loose });
    await get('stranger', one, { user: 'ada', loose });
    for (const path of [
      '/jobhistory/',
      '/jobhistory/app',
      '/jobhistory/jobcounters/job_1_0001',
      `/jobhistory/conf/${count.job}`,
      `/jobhistory/task/${count.task('m', 0)}`,
      '/jobhistory/nothing',
      `/jobhistory/jobcounters/${count.job}`,
      '/jobhistory/logs/x/y/z/root',
    ])
      await get(`page-${path}`, path);
  },
};
