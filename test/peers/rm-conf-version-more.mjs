// What counts the version of the queue configuration on, and what its refusals leave.
import { RM } from '../kit-scheduler.mjs';

const conf = (...pairs) => ({ entry: pairs.map(([key, value]) => ({ key, value })) });
const queue = (name, ...pairs) => ({ 'queue-name': name, params: conf(...pairs) });

export default {
  name: 'rm-conf-version-more',
  cluster: 'capacity',
  about: 'GET /scheduler-conf/version around changes of every kind',
  async run(c) {
    const path = `${RM}/scheduler-conf`;
    const version = (id, options) => c.record(id, 'rm', 'GET', `${path}/version`, { user: 'root', ...options });
    await version('start', { xml: true });
    const steps = [
      ['PUT', '', { 'global-updates': conf(['yarn.scheduler.capacity.node-locality-delay', '9']) }],
      ['PUT', '', { 'global-updates': conf(['yarn.scheduler.capacity.node-locality-delay', '9']) }],
      ['PUT', '', { 'global-updates': conf(['made.up', 'x']) }],
      ['PUT', '', { 'global-updates': conf(['made.up', '']) }],
      ['PUT', '', { 'update-queue': queue('root.default', ['user-limit-factor', '2']) }],
      ['PUT', '', { 'update-queue': queue('root.default', ['capacity', '95']) }],
      ['PUT', '', { 'update-queue': queue('root.nowhere', ['capacity', '5']) }],
      ['PUT', '', { 'add-queue': queue('root.fresh', ['capacity', '0']) }],
      ['PUT', '', { 'add-queue': queue('root.fresh', ['capacity', '0']) }],
      ['PUT', '', { 'remove-queue': 'root.fresh' }],
      ['PUT', '', { 'update-queue': queue('root.fresh', ['state', 'STOPPED']) }],
      ['PUT', '', { 'remove-queue': 'root.fresh' }],
      ['PUT', '', { 'remove-queue': 'root.fresh' }],
      ['PUT', '', {}],
      ['PUT', '', undefined],
      ['PUT', '', '{'],
      ['PUT', '', { unknown: 1 }],
      ['PUT', '', { 'global-updates': conf(['yarn.scheduler.capacity.node-locality-delay', '9']) }, 'ada'],
      ['PUT', '', { 'global-updates': conf(['yarn.scheduler.capacity.node-locality-delay', '9']) }, undefined],
      ['PUT', '', { 'global-updates': conf(['yarn.scheduler.capacity.node-locality-delay', '9']) }, 'admin'],
      ['POST', '/validate', { 'global-updates': conf(['yarn.scheduler.capacity.node-locality-delay', '8']) }],
      ['POST', '/validate', { 'update-queue': queue('root.default', ['capacity', '95']) }],
      ['GET', '/format', undefined, 'ada'],
      ['GET', '/format', undefined],
      [
        'PUT',
        '',
        {
          'global-updates': conf(['yarn.scheduler.capacity.node-locality-delay', '1']),
          'update-queue': queue('root.default', ['user-limit-factor', '3']),
        },
      ],
      ['GET', '/format', undefined, 'admin'],
      ['GET', '/format', undefined, 'root'],
    ];
    for (const [n, [method, at, body, ...user]] of steps.entries()) {
      await c.record(`step.${n}`, 'rm', method, `${path}${at}`, {
        user: user.length ? user[0] : 'root',
        body,
        xml: n > 19 && n < 23,
        loose: body === '{' ? ['message'] : [],
      });
      await version(`version.${n}`, { xml: n % 5 === 0 });
    }
    for (const [n, accept] of [
      'text/plain',
      'text/html',
      '*/*',
      'application/*',
      'text/xml',
      'application/json;q=0',
      'application/xml;q=0.1, application/json;q=0.2',
    ].entries())
      await version(`accept.${n}`, { accept, cut: 60 });
    for (const user of ['ada', 'admin', undefined, '']) await version(`by.${user}`, { user, xml: true });
    for (const [n, at] of ['?x=1', '/?y', '//', '/x', ';a=b'].entries())
      await c.record(`path.${n}`, 'rm', 'GET', `${path}/version${at}`, { user: 'root', cut: 60 });
    await c.record('tree', 'rm', 'GET', path, { user: 'root', xml: true });
  },
};
