// Changes of the queue configuration of every kind: parameters of queues with right and wrong values, trees, templates, whole requests.
import { clear, queueOf, RM } from '../kit-scheduler.mjs';
import { mustReset, queueView, withEntries } from './conf-steps.mjs';

/** Parameters of a leaf queue, with values right and wrong. */
const leafValues = {
  capacity: [
    '',
    ' 50 ',
    '50.0',
    '5e1',
    '+50',
    '50.004',
    '0x32',
    '50%',
    '-1',
    '101',
    '1w',
    '0w',
    '-1w',
    'w',
    '1.5w',
    '[memory=4096,vcores=4]',
    '[memory=50%,vcores=50%]',
    '[]',
    '[memory=1,vcores=1',
    '[memory=4096]',
    '50,0',
  ],
  'maximum-capacity': [
    '',
    '80',
    '49',
    '100',
    '100.1',
    '101',
    '-1',
    '0',
    'x',
    '[memory=8192,vcores=8]',
    '[memory=1,vcores=1]',
    '5w',
    ' 90',
    '90%',
  ],
  'minimum-user-limit-percent': ['', '25', '0', '-1', '101', '100', '33.3', 'x', '1e1'],
  'user-limit-factor': ['', '2', '-1', '0', '-2', '0.1', 'x', '1e2', '1f'],
  'maximum-am-resource-percent': ['', '0.2', '0', '1', '1.5', '-1', 'x', '20%'],
  'maximum-applications': ['', '7', '0', '-1', '-5', '1.5', 'x', '2147483648', '0x10', ' 9 '],
  'max-parallel-apps': ['', '3', '0', '-1', 'x', '2147483647'],
  priority: ['', '5', '-5', 'x', '1.5', '99999999999'],
  'maximum-allocation-mb': ['', '4096', '8192', '9000', '0', '-1', '64', 'x', '4096.5'],
  'maximum-allocation-vcores': ['', '2', '4', '5', '0', '-1', 'x'],
  'maximum-allocation': [
    '',
    'memory-mb=2048,vcores=2',
    'memory-mb=2048',
    'memory-mb=20480,vcores=2',
    'memory=2g,vcores=2',
    'x',
    'vcores=2',
    'memory-mb=2048,vcores=9',
  ],
  'ordering-policy': [
    '',
    'fifo',
    'fair',
    'fifo-for-pending-apps',
    'FAIR',
    'priority-utilization',
    'utilization',
    'x',
    'fifo-with-partitions',
    'exclusive-enforced',
  ],
  'ordering-policy.fair.enable-size-based-weight': ['', 'true', 'x'],
  acl_submit_applications: ['', ' ', '*', 'ada', 'ada,bob ops', ' ops', 'ada bob carl', '!ada', 'ada,,bob', '  '],
  acl_administer_queue: ['', 'ada', ' ops', '*'],
  acl_application_max_priority: [
    '',
    '[user=ada group=ops max_priority=5 default_priority=2]',
    '[user=ada max_priority=5]',
    '[user=ada default_priority=9 max_priority=5]',
    'user=ada',
    '[max_priority=4]',
    '[user=* max_priority=3][user=bob max_priority=7 default_priority=1]',
    '[user=ada max_priority=x]',
    '[user=ada colour=red max_priority=1]',
    '[]',
  ],
  'maximum-application-lifetime': ['', '60', '0', '-1', '-7', 'x', '1.5', '60s'],
  'default-application-lifetime': ['', '60', '0', '-1', 'x'],
  disable_preemption: ['', 'true', 'false', 'TRUE', 'x', '1'],
  'intra-queue-preemption.disable_preemption': ['', 'true', 'x'],
  'user-settings.ada.weight': ['', '2', '0', '-1', 'x', '0.5', '101'],
  'maximum-queue-depth': ['', '3', 'x'],
  'multi-node-sorting.policy': [
    '',
    'resource-based',
    'x',
    'org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy',
  ],
  'application.fail-fast': ['', 'true', 'x'],
  'unknown-parameter': ['', 'x', 'ü', '<&>"\'', 'a\nb', 'a'.repeat(300)],
  state: ['', 'running', 'RUNNING', 'stopped', ' STOPPED', 'DRAINING', 'draining', 'none'],
};
/** Settings of the whole scheduler. */
const globals = {
  'maximum-applications': ['', '7', '0', '-1', '-5', 'x', '1.5'],
  'maximum-am-resource-percent': ['', '0.1', '0', '-1', '1.5', 'x'],
  'max-parallel-apps': ['', '3', '0', '-1', 'x'],
  'user.ada.max-parallel-apps': ['3', 'x', '-1'],
  'user.max-parallel-apps': ['3'],
  'resource-calculator': [
    '',
    'org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator',
    'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
    'x',
    'java.lang.String',
    'org.apache.hadoop.yarn.util.resource.ResourceCalculator',
  ],
  'node-locality-delay': ['', '0', '-1', '5', 'x', '-2'],
  'rack-locality-additional-delay': ['', '-1', '5', 'x'],
  'rack-locality-full-reset': ['', 'true', 'x'],
  'per-node-heartbeat.multiple-assignments-enabled': ['true', 'x'],
  'per-node-heartbeat.maximum-container-assignments': ['5', '0', '-1'],
  'per-node-heartbeat.maximum-offswitch-assignments': ['5', '0', '-1'],
  'queue-mappings': [
    '',
    'u:ada:default',
    'u:ada:root.default',
    'u:ada',
    'x:ada:default',
    'u:%user:%user',
    'u:%user:root.research.%user',
    'g:ops:reports',
    'u:%user:nowhere',
    'u:ada:research',
    'u:%user:%primary_group.%user',
    'u:ada:default,u:bob:reports',
    'u:ada:default,,',
    ' u:ada:default ',
    'u::default',
    'u:ada:',
    'ada:default',
    'nightly:models',
    '%application:default',
  ],
  'app.mapping.queue-mappings': ['', 'nightly:models', 'nightly', '%application:%application', 'a:b:c', 'nightly:nowhere'],
  'queue-mappings-override.enable': ['true', 'x'],
  'queue-placement-rules.app-name': ['x'],
  'mapping-rule-format': ['', 'json', 'legacy', 'x'],
  'mapping-rule-json': [
    '',
    '{"rules":[]}',
    '{',
    '{"rules":[{"type":"user","matches":"ada","policy":"specified","fallbackResult":"skip"}]}',
  ],
  'workflow-priority-mappings': ['', 'w1:root.default:2', 'w1:default:2', 'w1:root.default', 'w1:root.default:x'],
  'workflow-priority-mappings-override.enable': ['true', 'x'],
  'schedule-asynchronously.enable': ['false', 'x'],
  'legacy-queue-mode.enabled': ['true', 'x'],
  'default-node-labels': ['x'],
  'global-queue-max-application': ['', '9', '0', '-1', 'x'],
  'skip-allocate-on-nodes-with-reserved-containers': ['true', 'x'],
  'am.failure.scheduling.delay': ['5', 'x'],
  'multi-node-placement-enabled': ['true', 'x'],
  'multi-node-sorting.policy': ['', 'resource-based', 'x'],
  'multi-node-sorting.policy.names': ['', 'resource-based', 'x'],
  'lazy-preemption-enabled': ['true', 'x'],
  'maximum-queue-depth': ['1', '5', 'x', '-1'],
  'application.fail-fast': ['true', 'x'],
  'autoqueue.deletion.expired-time': ['x', '5'],
};

export default {
  name: 'rm-conf-more',
  cluster: 'capacity',
  about: 'every parameter of a leaf queue and of the scheduler over scheduler-conf, with values right and wrong',
  async run(c) {
    await clear(c);
    const path = `${RM}/scheduler-conf`;
    await mustReset(c);
    const change = async (id, body, queues) => {
      const { status } = await c.record(id, 'rm', 'PUT', path, { user: 'root', body });
      if (status !== 200) return;
      await c.record(`${id}.queues`, 'rm', 'GET', `${RM}/scheduler`, { pick: (j) => queues.map((queue) => queueView(queueOf(j, queue))) });
      await mustReset(c);
    };
    for (const [key, values] of Object.entries(leafValues))
      for (const [n, value] of values.entries())
        await change(`leaf.${key}.${n}`, { 'update-queue': { 'queue-name': 'root.default', params: withEntries([[key, value]]) } }, [
          'root.default',
        ]);
    await c.http('rm', 'PUT', path, {
      user: 'root',
      body: { 'update-queue': { 'queue-name': 'root.default', params: withEntries([['state', 'RUNNING']]) } },
    });
    await mustReset(c);
    for (const [key, values] of Object.entries(globals))
      for (const [n, value] of values.entries())
        await change(`global.${key}.${n}`, { 'global-updates': withEntries([[`yarn.scheduler.capacity.${key}`, value]]) }, [
          'root.default',
          'root.research.models',
        ]);
    await mustReset(c);
  },
};
