// Logs of a running and of an ended container, at every server that has them: every two of the parameters together.
import { clear, common, HISTORY, kill, NODE, shell } from '../kit-batch.mjs';
import { AHS } from '../kit-timeline.mjs';

const parts = [
  'size=5',
  'size=-5',
  'size=0',
  'size=x',
  'format=text',
  'format=octet-stream',
  'format=json',
  'nm.id=localhost:45454',
  'nm.id=other:1',
  'redirected_from_node=true',
  'redirected_from_node=false',
  'manual_redirection=true',
  'clusterid=x',
  'user.name=ada',
  'a=b%20c',
];
const queries = [
  'containerid=BOX',
  'containerid=container_1_0001_01_000001',
  'nm.id=localhost:45454',
  'nm.id=other:1',
  'filename=stdout',
  'filename=std.*',
  'filename=none',
  'file_size=%3E5',
  'file_size=%3C12',
  'file_size=11',
  'file_size=x',
  'modification_time=%3E1',
  'modification_time=%3C1',
  'user=root',
  'user=ada',
  'redirected_from_node=true',
  'manual_redirection=true',
];
export default {
  name: 'logs-pairs',
  cluster: 'batch',
  about: 'logs of containers at the history server, the node and the timeline: parameters in pairs',
  async run(c) {
    common(c);
    await clear(c);
    const write =
      "(echo first line; echo second; echo third >&2; printf 'no end' > <LOG_DIR>/extra.txt; HOLD) 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr";
    const box = (id) => `${id.replace('application', 'container')}_01_000001`;
    const ended = await shell(c, 'ended', write.replace('HOLD', 'exit 0'));
    await c.appIn(ended, 'FAILED');
    await c.until(
      'aggregated',
      async () => (await c.http('jhs', 'GET', `${HISTORY}/containers/${box(ended)}/logs`)).status === 200,
      300,
      1000,
    );
    const running = await shell(c, 'running', write.replace('HOLD', 'sleep 600'));
    await c.until(
      'it runs',
      async () => {
        const { json } = await c.http('nm', 'GET', `${NODE}/containers/${box(running)}`, { user: 'root' });
        return json.container.state === 'RUNNING' && json.container.containerLogFiles?.includes('extra.txt');
      },
      300,
    );
    await c.until(
      'it is in the history',
      async () =>
        (
          await c.http(
            'ats',
            'GET',
            `${AHS}/apps/${running}/appattempts/${running.replace('application', 'appattempt')}_000001/containers/${box(running)}`,
            { user: 'root' },
          )
        ).status === 200,
      300,
    );
    await c.sleep(1500);
    const loose = ['fileSize'],
      unordered = ['containerLogInfo', 'containerLogFiles', 'containerLogsInfo'];
    // Hadoop shows logs to everybody at the timeline, and fails on a wrong size of a log that it does not have.
    for (const [name, app] of [
      ['ended', ended],
      ['running', running],
    ])
      for (const [id, server, path] of [
        ['jhs.list', 'jhs', `${HISTORY}/containers/${box(app)}/logs`],
        ['jhs.log', 'jhs', `${HISTORY}/containers/${box(app)}/logs/stdout`],
        ['jhs.old', 'jhs', `${HISTORY}/containerlogs/${box(app)}/extra.txt`],
        ['jhs.app', 'jhs', `${HISTORY}/aggregatedlogs?appid=${app}`],
        ['jhs.box', 'jhs', `${HISTORY}/aggregatedlogs?containerid=${box(app)}`],
        ['nm.list', 'nm', `${NODE}/containers/${box(app)}/logs`],
        ['nm.log', 'nm', `${NODE}/containers/${box(app)}/logs/stdout`],
        ['nm.old', 'nm', `${NODE}/containerlogs/${box(app)}/extra.txt`],
        ['ats.list', 'ats', `${AHS}/containers/${box(app)}/logs`],
        ['ats.log', 'ats', `${AHS}/containers/${box(app)}/logs/stdout`],
        ['ats.old', 'ats', `${AHS}/containerlogs/${box(app)}/extra.txt`],
      ])
        for (const [i, one] of parts.entries())
          for (const [j, two] of parts.entries())
            if (
              j >= i &&
              !(server === 'ats' && /ada/.test(one + two)) &&
              !(/^running.jhs.old/.test(`${name}.${id}`) && /size=x/.test(one + two))
            )
              await c.record(
                `${name}.${id}.${i}.${j}`,
                server,
                'GET',
                `${path}${path.includes('?') ? '&' : '?'}${one}${j > i ? `&${two}` : ''}`,
                {
                  loose,
                  unordered,
                  ...(/user/.test(one + two) ? {} : { user: 'root' }),
                  cut: 4000,
                  ...(i === j && /list|app|box/.test(id) ? { xml: true } : {}),
                },
              );
    for (const [name, app] of [
      ['ended', ended],
      ['running', running],
    ])
      for (const [i, one] of queries.entries())
        for (const [j, two] of queries.entries())
          if (j >= i)
            await c.record(
              `${name}.query.${i}.${j}`,
              'jhs',
              'GET',
              `${HISTORY}/extended-log-query?appid=${app}&${`${one}${j > i ? `&${two}` : ''}`.replaceAll('BOX', box(app))}`,
              { loose, unordered, cut: 4000, xml: i === j },
            );
    for (const [i, one] of queries.entries())
      await c.record(`alone.query.${i}`, 'jhs', 'GET', `${HISTORY}/extended-log-query?${one.replaceAll('BOX', box(ended))}`, {
        loose,
        unordered,
        cut: 4000,
      });
    await kill(c, running);
    await clear(c);
  },
};
