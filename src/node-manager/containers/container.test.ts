// A container on its node: the door for its state, what is reported and what survives; and the sentences about its end.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';
import type { ContainerStart } from '../../wire/cluster/container-messages.ts';
import { Application } from '../applications/application.ts';
import { Container } from './container.ts';
import { type ContainerEvent, containerStates, containerTable, endedStates } from './container-states.ts';
import { addDiagnostics, byteText, dateText, errorFiles, memoryExceeded } from './diagnostics.ts';

const order = (more: object = {}): ContainerStart =>
  ({
    containerId: 'container_1_0001_01_000002',
    askId: 'a',
    applicationId: 'application_1_0001',
    resource: { memoryMiB: 512, vcores: 1 },
    priority: 3,
    launch: { commands: ['true'], environment: {}, localResources: {}, serviceData: {} },
    ...more,
  }) as unknown as ContainerStart;

const aContainer = (clock = new ManualClock(1000), more: object = {}) => new Container(order(more), clock, 500);

describe('the states of a container', () => {
  const events: readonly ContainerEvent[] = [
    'initialize',
    'localized',
    'localizationFailed',
    'launched',
    'succeeded',
    'failed',
    'relaunch',
    'reinitialize',
    'startAnew',
    'pause',
    'paused',
    'resume',
    'resumed',
    'killed',
    'kill',
    'nothingToKill',
    'cleanedUp',
  ];

  it('change as the table says and in no other way, over random events', () => {
    const random = seededRandom(3);
    for (let life = 0; life < 300; life++) {
      const container = aContainer();
      for (let i = 0; i < 25; i++) {
        const event = events[random.int(events.length)] as ContainerEvent;
        const before = container.state;
        const wanted = (containerTable[before] as Partial<Record<ContainerEvent, string>>)[event];
        assert.equal(container.apply(event), wanted !== undefined);
        assert.equal(container.state, wanted ?? before);
      }
    }
  });

  it('lead from every state to the end', () => {
    for (const state of containerStates) {
      const reached = new Set([state]);
      for (const at of reached) for (const next of Object.values(containerTable[at])) reached.add(next as typeof state);
      assert.ok(reached.has('DONE'), `${state} leads to ${[...reached].join()}`);
    }
  });

  it('never lead from an ended container back to a running one', () => {
    for (const state of endedStates)
      for (const next of Object.values(containerTable[state])) assert.ok(endedStates.has(next), `${state} leads to ${next}`);
  });
});

describe('the times of a container', () => {
  it('are those of its first start and of its end', () => {
    const clock = new ManualClock(1000);
    const container = aContainer(clock);
    for (const event of ['initialize', 'localized'] as const) container.apply(event);
    clock.advance(10);
    container.apply('launched');
    clock.advance(10);
    container.apply('relaunch');
    container.apply('launched');
    clock.advance(10);
    container.apply('succeeded');
    clock.advance(10);
    container.apply('cleanedUp');
    assert.deepEqual([container.createdTime, container.startedTime, container.finishedTime], [1000, 1010, 1030]);
  });
});

describe('what the resource manager is told', () => {
  it('is NEW until it runs, COMPLETE once its exit code is final and it cannot run again', () => {
    const container = aContainer();
    const told: string[] = [];
    for (const event of [
      'initialize',
      'localized',
      'launched',
      'pause',
      'paused',
      'resume',
      'resumed',
      'kill',
      'killed',
      'cleanedUp',
    ] as const) {
      told.push(container.report().state);
      container.endIsSafe = event === 'cleanedUp';
      assert.ok(container.apply(event), event);
    }
    told.push(container.report().state);
    assert.deepEqual(told, ['NEW', 'NEW', 'NEW', 'RUNNING', 'RUNNING', 'RUNNING', 'RUNNING', 'RUNNING', 'RUNNING', 'RUNNING', 'COMPLETE']);
  });

  it('names the request it was given for, and tags where there are some', () => {
    const { askId, priority, executionType } = aContainer().report();
    assert.deepEqual([askId, priority, executionType], ['a', 3, 'GUARANTEED']);
    assert.equal('allocationTags' in aContainer().report(), false);
    assert.deepEqual(aContainer(undefined, { allocationTags: ['x'] }).report().allocationTags, ['x']);
    assert.equal('askId' in aContainer(undefined, { askId: undefined }).report(), false);
  });
});

describe('what survives a restart', () => {
  it('brings an ended container back as ended, with its code, times and words', () => {
    const clock = new ManualClock(1000);
    const container = aContainer(clock);
    for (const event of ['initialize', 'localized', 'launched'] as const) container.apply(event);
    clock.advance(5);
    container.exitCode = 7;
    container.addDiagnostics('it failed');
    container.apply('failed');
    const record = JSON.parse(JSON.stringify(container.record()));
    const again = new Container(record.order, new ManualClock(9999), 500, record);
    assert.deepEqual([again.state, again.ended, again.exitCode, again.createdTime, again.finishedTime], ['DONE', true, 7, 1000, 1005]);
    assert.equal(again.diagnostics, container.diagnostics);
  });

  it('counts the changes of the container, whoever told of them, and tells the resource manager of the last', () => {
    const container = aContainer();
    assert.equal(container.report().version, undefined);
    container.version = 2;
    container.managerVersion = 3;
    const again = new Container(container.record().order, new ManualClock(), 500, container.record());
    assert.deepEqual([again.version, again.managerVersion, again.report().version], [2, 3, 3]);
  });

  it('keeps the type that the container was changed to', () => {
    const container = aContainer(undefined, { executionType: 'OPPORTUNISTIC' });
    assert.equal(container.record().order.executionType, 'OPPORTUNISTIC');
    container.executionType = 'GUARANTEED';
    assert.equal(container.record().order.executionType, 'GUARANTEED');
  });

  it('remembers how often it was started again, also over the restart', () => {
    const retry = { policy: 'RETRY_ON_ALL_ERRORS' as const, maximumRetries: 2 };
    const launch = { ...order().launch, retry };
    const start = (container: Container) =>
      ['initialize', 'localized', 'launched'].forEach((event) => container.apply(event as ContainerEvent));
    const container = aContainer(undefined, { launch });
    start(container);
    assert.equal(container.takeRetry(1), true);
    assert.equal(container.record().relaunching, true);
    const again = new Container(order({ launch }), new ManualClock(), 500, container.record());
    start(again);
    assert.deepEqual([again.takeRetry(1), again.apply('launched'), again.takeRetry(1)], [true, true, false]);
    // What a signal ended is never started again.
    const fresh = aContainer(undefined, { launch });
    start(fresh);
    assert.equal(fresh.takeRetry(137), false);
  });
});

describe('an application on a node', () => {
  const record = { applicationId: 'application_1_0001', user: 'ann', acls: {}, rolledLogs: [['/log', 'inode', 5]] as const };

  it('is over once the resource manager said so, and gives back what it was made of', () => {
    const application = new Application(record);
    assert.deepEqual([application.apply('finish'), application.apply('initialize'), application.apply('initialized')], [false, true, true]);
    assert.equal(application.finishing, false);
    assert.equal(application.apply('finishWithContainers'), true);
    assert.deepEqual([application.finishing, application.record().finished], [true, true]);
    assert.deepEqual(application.record().rolledLogs, record.rolledLogs);
  });

  it('has live containers until the last one is done', () => {
    const application = new Application(record);
    const container = aContainer();
    application.containers.set(container.id, container);
    assert.equal(application.hasLiveContainers, true);
    container.apply('kill');
    assert.deepEqual([container.state, application.hasLiveContainers], ['DONE', false]);
  });
});

describe('diagnostics', () => {
  it('keep the newest text where they become too long', () => {
    let text = '';
    for (let i = 0; i < 50; i++) text = addDiagnostics(text, `line ${i}\n`, 0, 200);
    assert.ok(text.length <= 200 && text.endsWith('line 49\n'), text);
    assert.match(addDiagnostics('', 'x', 5, 99), /^\[1970-01-01 .*\.005\]x$|^\[1969-12-31 .*\.005\]x$/);
    assert.match(dateText(1_795_344_558_872), /^2026-11-22 \d\d:\d\d:18\.872$/);
  });

  it('write bytes as Hadoop does', () => {
    for (const [bytes, decimals, text] of [
      [0, 1, '0 B'],
      [1023, 1, '1023 B'],
      [1024, 1, '1 KB'],
      [1536, 1, '1.5 KB'],
      [1_048_575, 1, '1.0 MB'],
      [1_073_741_824, 1, '1 GB'],
      [1_610_612_736, 2, '1.50 GB'],
      [2 ** 60, 1, '1 EB'],
    ] as const)
      assert.equal(byteText(bytes, decimals), text, String(bytes));
  });

  it('name the memory that was exceeded, by how much, and every process', () => {
    const text = memoryExceeded({
      kind: 'PHYSICAL',
      pid: 5,
      containerId: 'c',
      physicalBytes: 2 * 1024 ** 2,
      physicalLimitBytes: 1024 ** 2,
      virtualBytes: 3 * 1024 ** 2,
      virtualLimitBytes: 8 * 1024 ** 2,
      processes: [
        {
          pid: 5,
          parentPid: 1,
          groupId: 5,
          sessionId: 5,
          name: 'sh',
          userTimeMs: 100,
          systemTimeMs: 50,
          virtualMemoryBytes: 9,
          residentPages: 2,
          commandLine: 'sh -c x',
        },
      ] as never,
    });
    assert.match(
      text,
      /^Container \[pid=5,containerID=c\] is running 1048576B beyond the 'PHYSICAL' memory limit\. Current usage: 2 MB of 1 MB physical memory used; 3 MB of 8 MB virtual/,
    );
    assert.match(text, /\|- 5 1 5 5 \(sh\) 10 5 9 2 sh -c x \n$/);
  });

  it('show the end of error files, and name them where there are several', () => {
    assert.equal(errorFiles(10, undefined, [], undefined), '');
    assert.equal(
      errorFiles(10, 'pre\n', ['stderr'], { name: 'stderr', text: 'end' }),
      'Error file: prelaunch.err.\nLast 10 bytes of prelaunch.err :\npre\nLast 10 bytes of stderr :\nend\n',
    );
    assert.match(errorFiles(10, undefined, ['a', 'b'], undefined), /^Error files: a, b\.\n$/);
  });
});
