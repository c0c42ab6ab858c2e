import { common, RM, shell } from '../kit-batch.mjs';
import { AHS, begin } from '../kit-timeline.mjs';

export default {
  name: 'application-history-more',
  cluster: 'timeline',
  about: 'application history: formats, ids, filters, logs',
  async run(c) {
    common(c);
    const { user } = begin(c),
      ann = c.name('ann', user('ann')),
      bob = c.name('bob', user('bob'));
    const killed = await shell(c, 'killed', 'sleep 600', {
      user: ann,
      'application-type': 'SLEEP',
      'application-tags': { tag: ['nightly', 'b-tag'] },
      priority: 3,
      'application-name': 'a name, with "signs" & <more> ä',
    });
    const waiting = await shell(c, 'waiting', 'sleep 600', { user: ann });
    for (const name of ['killed', 'waiting'])
      await c.until(
        'the container',
        async () =>
          (await c.http('nm', 'GET', `/ws/v1/node/containers/container_${c.value(`${name}.n`)}_01_000001`, { user: 'root' })).json.container
            .state === 'RUNNING',
      );
    await c.sleep(1000);
    const failed = await shell(
      c,
      'failed',
      '(echo hello; printf no-end >&2; mkdir <LOG_DIR>/sub; echo x > <LOG_DIR>/sub/inner; touch <LOG_DIR>/empty; seq 1000 > <LOG_DIR>/big; echo a b > <LOG_DIR>/with.log; exit 3) 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr',
      { user: bob, 'max-app-attempts': 2 },
    );
    await c.http('rm', 'PUT', `${RM}/apps/${killed}/state`, { user: ann, body: { state: 'KILLED' } });
    const app = async (id) => (await c.http('ats', 'GET', `${AHS}/apps/${id}`, { user: 'root' })).json;
    for (const [id, state] of [
      [killed, 'KILLED'],
      [failed, 'FAILED'],
    ]) {
      await c.until(`${id} in history`, async () => (await app(id)).appState === state);
      await c.until(`logs of ${id}`, async () =>
        ['SUCCEEDED', 'FAILED'].includes((await c.http('rm', 'GET', `${RM}/apps/${id}`, { user: 'root' })).json.app.logAggregationStatus),
      );
    }
    const attempt = (name, n = 1) => `appattempt_${c.value(`${name}.n`)}_00000${n}`,
      box = (name, n = 1, k = 1) => `container_${c.value(`${name}.n`)}_0${n}_00000${k}`;
    for (const [name, n] of [
      ['failed', 1],
      ['failed', 2],
      ['killed', 1],
    ])
      await c.until('containers in history', async () =>
        (
          await c.http('ats', 'GET', `${AHS}/apps/${c.value(name)}/appattempts/${attempt(name, n)}/containers`, { user: 'root' })
        ).json.container.every((x) => x.containerState === 'COMPLETE'),
      );
    const { startedTime: started, finishedTime: finished } = await app(failed);
    c.mask(/\b\d+ MB-seconds, \d+ vcore-seconds/g, '{used}');
    c.mask(/Failing this attempt\.Diagnostics: \[[^\]]*\]/g, 'Failing this attempt.Diagnostics: [{date}]');
    const get = (id, path, options) => c.record(id, 'ats', 'GET', `${AHS}${path}`, { user: 'root', ...options });
    const versions = [
      'timeline-service-version',
      'timeline-service-build-version',
      'timeline-service-version-built-on',
      'hadoop-version',
      'hadoop-build-version',
      'hadoop-version-built-on',
    ];
    const loose = ['diagnosticsInfo', 'finalAppStatus'];
    const mine = { pick: (j) => (j.app ? { ...j, app: j.app.filter((a) => [ann, bob].includes(a.user)) } : j), loose };
    const [clusterStamp] = c.value('killed.n').split('_');
    c.name('stamp', clusterStamp);

    await get('root', '', mine);
    await get('root-slash', '/', mine);
    await get('apps', '/apps', mine);
    await get('apps-slash', '/apps/', mine);
    await get('root-filter', `?user=${ann}`, { loose });
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
    ]) {
      await get(`accept-app-${id}`, `/apps/${killed}`, { headers: { accept } });
      await get(`accept-apps-${id}`, `/apps?user=${ann}&states=KILLED`, { headers: { accept } });
      await get(`accept-unknown-${id}`, '/apps/application_1_0001', { headers: { accept } });
      await get(`accept-about-${id}`, '/about', { headers: { accept }, loose: versions });
      await get(`accept-attempts-${id}`, `/apps/${killed}/appattempts`, { headers: { accept } });
      await get(`accept-log-${id}`, `/containers/${box('failed')}/logs/stdout`, { headers: { accept } });
      await get(`accept-logs-${id}`, `/containers/${box('failed')}/logs`, { headers: { accept } });
    }
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
      for (const [name, path] of [
        ['app', `/apps/${killed}`],
        ['apps', '/apps'],
        ['log', `/containers/${box('failed')}/logs/stdout`],
      ])
        await c.record(`${name}-${method.toLowerCase()}`, 'ats', method, `${AHS}${path}`, {
          user: 'root',
          ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
        });
    await get('gzip', `/apps/${killed}`, { headers: { 'accept-encoding': 'gzip' } });
    await get('about-slash', '/about/', { loose: versions });

    for (const [id, query] of [
      ['users', `user=${ann},${bob}`],
      ['user-twice', `user=${ann}&user=${bob}`],
      ['user-empty', 'user='],
      ['user-case', `user=${ann.toUpperCase()}`],
      ['queue-empty', `user=${ann}&queue=`],
      ['queue-case', `user=${ann}&queue=ROOT.DEFAULT`],
      ['name-empty', `user=${ann}&name=`],
      ['name-signs', `name=${encodeURIComponent('a name, with "signs" & <more> ä')}`],
      ['name-case', 'name=KILLED'],
      ['types', `user=${ann}&applicationTypes=sleep,TEST`],
      ['types-blanks', `user=${ann}&applicationTypes=%20SLEEP%20,%20x`],
      ['types-twice', `user=${ann}&applicationTypes=x&applicationTypes=SLEEP`],
      ['types-empty', `user=${ann}&applicationTypes=`],
      ['types-comma', `user=${ann}&applicationTypes=,`],
      ['tags', `user=${ann}&applicationTags=nightly`],
      ['states-blanks', `user=${ann}&states=%20KILLED%20`],
      ['states-twice', `user=${ann}&states=FAILED&states=KILLED`],
      ['states-empty', `user=${ann}&states=`],
      ['states-comma', `user=${ann}&states=,KILLED`],
      ['states-running', `user=${ann}&states=running`],
      ['state-and-states', `user=${bob}&state=FAILED&states=KILLED`],
      ['state-case', `user=${bob}&state=failed`],
      ['state-empty', `user=${bob}&state=`],
      ['state-bad', `user=${bob}&state=nope`],
      ['states-accepted', `user=${bob}&states=ACCEPTED`],
      ['final-lower', `user=${ann}&finalStatus=killed`],
      ['final-empty', `user=${ann}&finalStatus=`],
      ['final-bad-nobody', 'user=nobody-at-all&finalStatus=Done'],
      ['final-ended', `user=${ann}&finalStatus=ENDED`],
      ['limit-big', `user=${ann}&limit=9999999999`],
      ['limit-negative', 'limit=-1'],
      ['limit-empty', `user=${ann}&limit=`],
      ['limit-blanks', `user=${ann}&limit=%205`],
      ['limit-plus', `user=${ann}&limit=%2B500`],
      ['limit-float', 'limit=1.5'],
      ['limit-twice', `user=${ann}&limit=500&limit=x`],
      ['limit-overflow', 'limit=9223372036854775808'],
      ['started-same', `user=${bob}&startedTimeBegin=${started}&startedTimeEnd=${started}`],
      ['started-end', `user=${bob}&startedTimeEnd=${started}`],
      ['started-end-before', `user=${bob}&startedTimeEnd=${started - 1}`],
      ['started-zero', `user=${bob}&startedTimeBegin=0`],
      ['started-end-zero', `user=${bob}&startedTimeEnd=0`],
      ['started-empty', `user=${bob}&startedTimeBegin=`],
      ['started-end-text', 'startedTimeEnd=x'],
      ['finished-same', `user=${bob}&finishedTimeBegin=${finished}&finishedTimeEnd=${finished}`],
      ['finished-after', `user=${bob}&finishedTimeBegin=${finished + 1}`],
      ['finished-end', `user=${bob}&finishedTimeEnd=${finished - 1}`],
      ['finished-waiting', `user=${ann}&finishedTimeEnd=5`],
      ['finished-text', 'finishedTimeBegin=x'],
      ['finished-end-text', 'finishedTimeEnd=1.5'],
      ['finished-empty', `user=${bob}&finishedTimeEnd=`],
      ['two-bad', 'limit=x&states=NOPE'],
      ['two-bad-other', 'startedTimeBegin=-1&finishedTimeBegin=-1&limit=0'],
      ['unknown', `user=${ann}&nothing=1`],
      ['deselects', `user=${ann}&deSelects=resourceRequests`],
    ])
      await get(
        `apps-${id}`,
        `/apps?${query}`,
        /user=$|users|^limit-(big|overflow)/.test(id) || id === 'user-empty'
          ? mine
          : { loose: [...loose, ...(id === 'limit-overflow' ? ['message'] : [])] },
      );
    await get('apps-xml-mixed', `/apps?user=${ann}`, { accept: 'application/xml', loose });
    await get('apps-bad-xml', '/apps?states=NOPE', { accept: 'application/xml' });

    // ids
    const n = c.value('killed.n').replace(/_0+/, '_');
    for (const [id, app] of [
      ['unpadded', `application_${n}`],
      ['overpadded', `application_${clusterStamp}_00000${n.split('_')[1]}`],
      ['upper', killed.toUpperCase()],
      ['trailing', `${killed}_1`],
      ['blanks', `%20${killed}%20`],
      ['job', killed.replace('application', 'job')],
      ['negative', `application_${clusterStamp}_-1`],
      ['no-number', `application_${clusterStamp}`],
      ['no-number-end', `application_${clusterStamp}_`],
      ['huge', `application_${clusterStamp}_99999999999`],
      ['matrix', `${killed};a=b`],
      ['blank', '%20'],
      ['plus', `application_${clusterStamp}_+1`],
      ['huge-stamp', 'application_99999999999999999999_1'],
    ]) {
      await get(`id-${id}`, `/apps/${app}`);
      await get(`id-${id}-attempts`, `/apps/${app}/appattempts`);
    }
    for (const [id, at] of [
      ['unpadded', `appattempt_${c.value('killed.n')}_1`],
      ['short', `appattempt_${c.value('killed.n')}`],
      ['zero', `appattempt_${c.value('killed.n')}_000000`],
      ['text', `appattempt_${c.value('killed.n')}_x`],
      ['upper', attempt('killed').toUpperCase()],
      ['blank', '%20'],
      ['container', box('killed')],
      ['unknown-app', 'appattempt_1_0001_000001'],
      ['more', `${attempt('killed')}_1`],
    ]) {
      await get(`attempt-${id}`, `/apps/${killed}/appattempts/${at}`);
      await get(`attempt-${id}-containers`, `/apps/${killed}/appattempts/${at}/containers`);
    }
    for (const [id, con] of [
      ['unpadded', `container_${c.value('killed.n')}_1_1`],
      ['epoch', `container_e01_${c.value('killed.n')}_01_000001`],
      ['epoch-zero', `container_e00_${c.value('killed.n')}_01_000001`],
      ['short', `container_${c.value('killed.n')}_01`],
      ['text', `container_${c.value('killed.n')}_01_x`],
      ['more', `${box('killed')}_1`],
      ['blank', '%20'],
      ['second', box('killed', 2)],
      ['upper', box('killed').toUpperCase()],
    ]) {
      await get(`container-${id}`, `/apps/${killed}/appattempts/${attempt('killed')}/containers/${con}`);
      await get(`container-${id}-logs`, `/containers/${con}/logs`);
      await get(`container-${id}-log`, `/containers/${con}/logs/stdout`);
    }
    await get('attempts-slash', `/apps/${failed}/appattempts/`, { loose });
    await get('attempts-xml-unknown', '/apps/application_1_0001/appattempts', { accept: 'application/xml' });
    await get('attempts-unknown', '/apps/application_1_0001/appattempts');
    await get('attempts-owner', `/apps/${failed}/appattempts`, { user: bob, loose });
    await get('attempt-second', `/apps/${failed}/appattempts/${attempt('failed', 2)}`, { xml: true, loose });
    await get('attempt-slash', `/apps/${failed}/appattempts/${attempt('failed', 2)}/`, { loose });
    await get('containers-second', `/apps/${failed}/appattempts/${attempt('failed', 2)}/containers`, { xml: true, loose });
    await get('containers-waiting', `/apps/${waiting}/appattempts/${attempt('waiting')}/containers`, { xml: true });
    await get('containers-slash', `/apps/${failed}/appattempts/${attempt('failed', 2)}/containers/`, { loose });
    await get('containers-unknown-attempt', `/apps/${killed}/appattempts/${attempt('killed', 9)}/containers`);
    await get('container-waiting', `/apps/${waiting}/appattempts/${attempt('waiting')}/containers/${box('waiting')}`, { xml: true });
    await get('container-owner', `/apps/${failed}/appattempts/${attempt('failed', 2)}/containers/${box('failed', 2)}`, {
      user: bob,
      loose,
    });
    await get('container-deeper', `/apps/${killed}/appattempts/${attempt('killed')}/containers/${box('killed')}/x`);
    await get('attempt-waiting', `/apps/${waiting}/appattempts/${attempt('waiting')}`);
    await get('apps-deeper', `/apps/${killed}/x`);
    await get('apps-upper', `/APPS`);

    // logs
    const log = (id, rest, options) => get(`log-${id}`, `/containers/${box('failed')}/logs/${rest}`, { user: bob, ...options });
    for (const file of [
      'stderr',
      'big',
      'empty',
      'sub',
      'sub%2Finner',
      'with.log',
      '..',
      '%2e%2e%2fstdout',
      'STDOUT',
      '%20',
      'directory.info',
      'prelaunch.out',
      'launch_container.sh',
    ])
      await log(`file-${file.replace(/\W/g, '_')}`, file, /launch|directory/.test(file) ? { cut: 60 } : {});
    for (const [id, query] of [
      ['size-big', 'size=99999'],
      ['size-zero', 'size=0'],
      ['size-negative-big', 'size=-99999'],
      ['size-empty', 'size='],
      ['size-plus', 'size=%2B3'],
      ['size-huge', 'size=99999999999999999999'],
      ['size-float', 'size=1.5'],
      ['format-empty', 'format='],
      ['format-upper', 'format=TEXT'],
      ['format-octet-upper', 'format=Octet-Stream'],
      ['format-two', 'format=text&format=octet-stream'],
      ['nm', 'nm.id=localhost:45454'],
      ['nm-unknown', 'nm.id=nowhere:1'],
      ['nm-bad', 'nm.id=x'],
      ['redirected', 'redirected_from_node=true'],
      ['redirected-bad', 'redirected_from_node=maybe'],
      ['manual', 'manual_redirection=true'],
      ['unknown', 'x=y'],
      ['size-format', 'size=2&format=octet-stream'],
    ])
      await log(`query-${id}`, `stdout?${query}`, { loose: ['message'] });
    for (const [id, query] of [
      ['nm', 'nm.id=localhost:45454'],
      ['redirected', 'redirected_from_node=true'],
      ['manual', 'manual_redirection=true'],
      ['redirected-bad', 'redirected_from_node=maybe'],
      ['format', 'format=pdf'],
    ])
      await get(`logs-query-${id}`, `/containers/${box('failed')}/logs?${query}`, { user: bob });
    for (const [id, query] of [
      ['plain', ''],
      ['nm', '?nm.id=localhost:45454'],
      ['nm-unknown', '?nm.id=nowhere:1'],
      ['redirected', '?redirected_from_node=true'],
      ['manual', '?manual_redirection=true'],
      ['more', '?a=b&c=d%20e'],
      ['redirected-false', '?redirected_from_node=false'],
    ]) {
      await get(`running-logs-${id}`, `/containers/${box('waiting')}/logs${query}`, { user: ann });
      await get(`running-log-${id}`, `/containers/${box('waiting')}/logs/stdout${query}`, { user: ann });
      await get(`running-other-${id}`, `/containerlogs/${box('waiting')}/stdout${query}`, { user: ann });
    }
    await get('log-slash', `/containers/${box('failed')}/logs/stdout/`, { user: bob });
    await get('logs-slash', `/containers/${box('failed')}/logs/`, { user: bob });
    await get('containers-root', '/containers');
    await get('containers-one', `/containers/${box('failed')}`);
    await get('containerlogs-one', `/containerlogs/${box('failed')}`);
    await get('containerlogs-binary', `/containerlogs/${box('failed')}/stdout?format=octet-stream`, { user: bob });
    await get('containerlogs-malformed', '/containerlogs/box/stdout');
    await get('containerlogs-unknown', `/containerlogs/${box('killed', 1, 8)}/stdout`);
    await get('log-second', `/containers/${box('failed', 2)}/logs/stdout`, { user: bob });
    await get('logs-second', `/containers/${box('failed', 2)}/logs`, { user: bob, xml: true });
    await get('log-range', `/containers/${box('failed')}/logs/stdout`, { user: bob, headers: { range: 'bytes=0-3' } });
    await c.http('rm', 'PUT', `${RM}/apps/${waiting}/state`, { user: ann, body: { state: 'KILLED' } });
  },
};
