// The queue configuration where it comes from a file, in bodies, formats, callers and methods that no recording has.
import { RM } from '../kit-scheduler.mjs';

const conf = (...pairs) => ({ entry: pairs.map(([key, value]) => ({ key, value })) });

export default {
  name: 'rm-conf-file-more',
  cluster: 'capacity-file-store',
  about: 'scheduler-conf over an immutable store in forms that no recording has',
  async run(c) {
    const path = `${RM}/scheduler-conf`;
    const bodies = [
      { 'global-updates': conf(['yarn.scheduler.capacity.node-locality-delay', '3']) },
      { 'update-queue': { 'queue-name': 'root.default', params: conf(['capacity', '60']) } },
      {
        'update-queue': [
          { 'queue-name': 'root.default', params: conf(['capacity', '40']) },
          { 'queue-name': 'root.operations', params: conf(['capacity', '30']) },
        ],
      },
      { 'update-queue': { 'queue-name': 'root.nowhere', params: conf(['capacity', '10']) } },
      { 'update-queue': { 'queue-name': 'default', params: conf(['capacity', '10']) } },
      { 'update-queue': { 'queue-name': 'root.default' } },
      { 'update-queue': { params: conf(['capacity', '10']) } },
      { 'update-queue': { 'queue-name': 'root.default', params: conf(['state', 'STOPPED']) } },
      { 'update-queue': { 'queue-name': 'root.default', params: conf(['state', 'x']) } },
      { 'update-queue': { 'queue-name': 'root.default', params: conf(['capacity', 'x']) } },
      { 'update-queue': { 'queue-name': 'root.default', params: conf(['maximum-applications', '77']) } },
      { 'update-queue': { 'queue-name': 'root.default', params: conf(['maximum-capacity', '1']) } },
      { 'add-queue': { 'queue-name': 'root.fresh', params: conf(['capacity', '0']) } },
      { 'add-queue': { 'queue-name': 'root.fresh', params: conf(['capacity', '10']) } },
      { 'add-queue': { 'queue-name': 'root.default', params: conf(['capacity', '10']) } },
      { 'add-queue': { 'queue-name': 'root.none.child', params: conf(['capacity', '100']) } },
      { 'add-queue': { 'queue-name': 'fresh', params: conf(['capacity', '0']) } },
      { 'remove-queue': 'root.default' },
      { 'remove-queue': 'root.nowhere' },
      { 'remove-queue': 'root' },
      { 'remove-queue': 'default' },
      { 'remove-queue': ['root.research.models', 'root.research.reports'] },
      { 'global-updates': conf(['a', 'b']) },
      { 'global-updates': conf(['yarn.scheduler.capacity.maximum-applications', 'x']) },
      { 'global-updates': { entry: { key: 'a', value: 'b' } } },
      { 'global-updates': { entry: [] } },
      { 'global-updates': {} },
      { 'global-updates': null },
      {},
      [],
      'null',
      '5',
      '"x"',
      '',
      ' ',
      '{"a":',
      { 'change-queue': 'x' },
      { 'sched-conf': { 'remove-queue': 'root.default' } },
      { subClusterId: 'a', 'global-updates': conf(['yarn.scheduler.capacity.node-locality-delay', '3']) },
    ];
    const both = async (name, body, options = {}) => {
      for (const user of ['root', 'ada', undefined])
        await c.record(`put.${name}.${user}`, 'rm', 'PUT', path, {
          user,
          body,
          loose: ['message'].filter(() => typeof body === 'string'),
          ...options,
        });
      await c.record(`validate.${name}`, 'rm', 'POST', `${path}/validate`, {
        user: 'root',
        body,
        xml: true,
        loose: ['message'].filter(() => typeof body === 'string'),
        ...options,
      });
      await c.record(`validate.${name}.ada`, 'rm', 'POST', `${path}/validate`, {
        user: 'ada',
        body,
        loose: ['message'].filter(() => typeof body === 'string'),
        ...options,
      });
    };
    for (const [n, body] of bodies.entries()) await both(`${n}`, body);
    for (const [n, body] of [
      '<sched-conf/>',
      '<sched-conf><global-updates><entry><key>yarn.scheduler.capacity.node-locality-delay</key><value>7</value></entry></global-updates></sched-conf>',
      '<sched-conf><update-queue><queue-name>root.default</queue-name><params><entry><key>capacity</key><value>oops</value></entry></params></update-queue></sched-conf>',
      '<sched-conf><remove-queue>root.default</remove-queue></sched-conf>',
      '<sched-conf><add-queue><queue-name>root.x</queue-name><params><entry><key>capacity</key><value>0</value></entry></params></add-queue></sched-conf>',
      '<conf/>',
      '<sched-conf>',
      '',
      'x',
    ].entries())
      await both(`xml.${n}`, body, { headers: { 'content-type': 'application/xml' } });
    for (const type of ['text/plain', 'text/xml', 'application/x-www-form-urlencoded', 'application/json;charset=utf-8', 'nonsense'])
      await both(`type.${type.replaceAll('/', '-')}`, '{}', { headers: { 'content-type': type } });
    for (const [n, accept] of [
      'application/xml',
      'text/plain',
      'text/html',
      '*/*',
      'application/*',
      'application/json;q=0.2,application/xml',
      'image/png',
    ].entries())
      for (const [name, method, at, body] of [
        ['get', 'GET', ''],
        ['version', 'GET', '/version'],
        ['format', 'GET', '/format'],
        ['put', 'PUT', '', bodies[0]],
        ['validate', 'POST', '/validate', bodies[0]],
      ])
        await c.record(`accept.${n}.${name}`, 'rm', method, `${path}${at}`, { user: 'root', accept, body, cut: 60 });
    for (const user of ['root', 'admin', 'ada', undefined, ''])
      for (const at of ['', '/', '/version', '/version/', '/format', '/format/', '/validate', '/x', '/version/x'])
        await c.record(`get.${user}.${at.replaceAll('/', '-')}`, 'rm', 'GET', `${path}${at}`, { user, cut: 60 });
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])
      for (const at of ['', '/', '/version', '/format', '/validate', '/x'])
        await c.record(`${method}.${at.replaceAll('/', '-')}`, 'rm', method, `${path}${at}`, {
          user: 'root',
          cut: 60,
          ...(['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {}),
        });
    await c.record('scheduler', 'rm', 'GET', `${RM}/scheduler`, { xml: true });
  },
};
