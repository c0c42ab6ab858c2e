import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes } from '../../model/resource.ts';
import { ConfigurationRefused } from '../policy.ts';
import { parseAllocations } from './allocations.ts';

const types = new ResourceTypes();
const parse = (inside: string) => parseAllocations(`<allocations>${inside}</allocations>`, types);
const queueOf = (inside: string, path: string) => parse(inside).queues.find((queue) => queue.path === path)!;
const refused = (inside: string, sentence: RegExp, key?: string) =>
  assert.throws(
    () => parse(inside),
    (error: unknown) =>
      error instanceof ConfigurationRefused &&
      sentence.test(error.message) &&
      (key === undefined || error.key === key) &&
      error.remedy !== undefined,
  );

describe('fair-scheduler.xml', () => {
  it('without queues has the root alone', () => {
    for (const text of [undefined, '', ' ', '<allocations/>']) {
      const { queues, rules, warnings } = parseAllocations(text, types);
      assert.deepEqual(
        queues.map(({ path }) => path),
        ['root'],
      );
      assert.equal(rules, undefined);
      assert.deepEqual(warnings, []);
    }
  });

  it('puts queues below the root whether or not it names the root', () => {
    const inside = '<queue name="a"><pool name="x"/></queue>';
    const paths = (text: string) => parse(text).queues.map(({ path, isParent }) => [path, isParent]);
    assert.deepEqual(paths(inside), [
      ['root.a', true],
      ['root.a.x', false],
      ['root', true],
    ]);
    assert.deepEqual(paths(`<queue name="root">${inside}</queue>`), [
      ['root', true],
      ['root.a', true],
      ['root.a.x', false],
    ]);
  });

  it('gives queues the defaults of the file where they name nothing', () => {
    const defaults =
      '<queueMaxAppsDefault>5</queueMaxAppsDefault><queueMaxAMShareDefault>0.25</queueMaxAMShareDefault>' +
      '<defaultQueueSchedulingMode>drf</defaultQueueSchedulingMode><queueMaxResourcesDefault>1024 mb, 1 vcores</queueMaxResourcesDefault>';
    const own =
      '<queue name="b"><maxRunningApps>2</maxRunningApps><maxAMShare>1</maxAMShare><schedulingPolicy>fifo</schedulingPolicy></queue>';
    const plain = queueOf(`${defaults}<queue name="a"/>${own}`, 'root.a');
    assert.deepEqual([plain.maximumRunning, plain.amShare, plain.policy], [5, 0.25, 'drf']);
    assert.deepEqual(plain.maximum, { absolute: [1024, 1] });
    const named = queueOf(`${defaults}<queue name="a"/>${own}`, 'root.b');
    assert.deepEqual([named.maximumRunning, named.amShare, named.policy], [2, 1, 'fifo']);
  });

  it('gives the times of preemption to the root alone, whose queues inherit them', () => {
    const inside =
      '<defaultMinSharePreemptionTimeout>10</defaultMinSharePreemptionTimeout><fairSharePreemptionTimeout>20</fairSharePreemptionTimeout>' +
      '<defaultFairSharePreemptionThreshold>0.75</defaultFairSharePreemptionThreshold><queue name="a"/>';
    const root = queueOf(inside, 'root');
    assert.deepEqual(
      [root.minimumSharePreemptionTimeoutMs, root.fairSharePreemptionTimeoutMs, root.fairSharePreemptionThreshold],
      [10_000, 20_000, 0.75],
    );
    assert.equal(queueOf(inside, 'root.a').fairSharePreemptionTimeoutMs, undefined);
  });

  it('limits users by name, others by the default', () => {
    const { userMaximums, userMaximumDefault } = parse(
      '<user name="ada"><maxRunningApps>9</maxRunningApps></user><user name="ben"/><userMaxAppsDefault>3</userMaxAppsDefault>',
    );
    assert.deepEqual([...userMaximums], [['ada', 9]]);
    assert.equal(userMaximumDefault, 3);
  });

  it('takes nothing back from queues that hold reservations, whose lists are open where they name no user', () => {
    const queue = queueOf('<queue name="plan"><reservation/><aclListReservations>ada</aclListReservations></queue>', 'root.plan');
    assert.equal(queue.isReservable && queue.isParent, true);
    assert.equal(queue.preemptable, false);
    assert.deepEqual(queue.reservationAccess, { SUBMIT_RESERVATIONS: '*', LIST_RESERVATIONS: 'ada', ADMINISTER_RESERVATIONS: '*' });
  });

  it('reads rules with what is inside them', () => {
    const { rules } = parse(
      '<queuePlacementPolicy><rule name="nestedUserQueue" create="false"><rule name="primaryGroup" create="false"/></rule>' +
        '<rule name="default" queue="spare"/></queuePlacementPolicy>',
    );
    const inner = { name: 'primaryGroup', create: false, queue: undefined, parent: undefined };
    assert.deepEqual(rules, [
      { name: 'nestedUserQueue', create: false, queue: undefined, parent: inner },
      { name: 'default', create: true, queue: 'spare', parent: undefined },
    ]);
  });

  it('is refused for names that no queue may have and for doubles', () => {
    refused('<queue name="a.b"/>', /queue name \(a\.b\) shouldn't contain period or be empty/, 'queue root');
    refused('<queue name="a"><queue/></queue>', /queue name \(\) shouldn't/, 'queue root.a');
    refused('<queue name="a"/><pool name="a"/>', /^Two queues were named root\.a$/, 'queue root.a');
  });

  it('is refused for contradictions', () => {
    refused(
      '<queue name="a"><minResources>2048 mb, 1 vcores</minResources><maxResources>1024 mb, 4 vcores</maxResources></queue>',
      /^Queue root\.a has a minimum of memory-mb above its maximum$/,
      'queue root.a, minResources',
    );
    refused('<queue name="a"><reservation/><queue name="x"/></queue>', /has children and <reservation>/, 'queue root.a, reservation');
    refused('<queue name="a" type="parent"><reservation/></queue>', /has children and <reservation>/);
  });

  it('is refused for rules that place nowhere or are never reached', () => {
    const rules = (inside: string) => `<queuePlacementPolicy>${inside}</queuePlacementPolicy>`;
    refused(rules('<rule name="lottery"/>'), /^No rule class found for lottery$/);
    refused(rules('<rule name="specified"/>'), /^Could get past last queue placement rule without assigning$/);
    refused(rules('<rule name="default"/><rule name="user"/>'), /^Rules after rule 1 in queue placement policy can never be reached$/);
    refused(rules('<rule name="nestedUserQueue" create="false"/><rule name="reject"/>'), /^The rule nestedUserQueue has no rule inside$/);
  });

  it('names the element, the queue and the user of a bad value', () => {
    const key = (inside: string): string | undefined => {
      try {
        parse(inside);
        return undefined;
      } catch (error) {
        assert.ok(error instanceof ConfigurationRefused);
        return error.key;
      }
    };
    assert.equal(key('<queue name="a"><queue name="x"><weight>lead</weight></queue></queue>'), 'queue root.a.x, weight');
    assert.equal(key('<user name="ada"><maxRunningApps>few</maxRunningApps></user>'), 'user ada, maxRunningApps');
    assert.equal(key('<queueMaxAMShareDefault>half</queueMaxAMShareDefault>'), 'queueMaxAMShareDefault');
  });

  it('says what of it has no effect, down to users', () => {
    const { warnings } = parse(
      '<user name="ada"><maxRuningApps>1</maxRuningApps></user><queue name="a"><queue name="x"><limit/></queue></queue>',
    );
    assert.deepEqual(warnings, [
      '<limit> of queue root.a.x has no effect: there is no such setting.',
      '<maxRuningApps> of user ada has no effect: there is no such setting.',
    ]);
  });
});
