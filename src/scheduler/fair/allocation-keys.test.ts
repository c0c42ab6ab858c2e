import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ConfigurationRefused } from '../policy.ts';
import { allocationKeys } from './allocation-keys.ts';

it('the keys of a fair-scheduler.xml name each queue by its path, and what is set of it, of users and of all', () => {
  const keys = allocationKeys(`<?xml version="1.0"?>
<allocations>
  <queue name="sales" type="parent"><weight> 2.0 </weight><queue name="east"/></queue>
  <pool name="old"><maxRunningApps>3</maxRunningApps></pool>
  <queue name="root"><queue name="named"><schedulingPolicy>drf</schedulingPolicy></queue></queue>
  <user name="ada"><maxRunningApps>5</maxRunningApps></user>
  <userMaxAppsDefault>9</userMaxAppsDefault>
</allocations>`);
  assert.deepEqual(Object.fromEntries(keys), {
    'root.sales': 'queue',
    'root.sales.type': 'parent',
    'root.sales.weight': '2.0',
    'root.sales.east': 'queue',
    'root.old': 'queue',
    'root.old.maxRunningApps': '3',
    root: 'queue',
    'root.named': 'queue',
    'root.named.schedulingPolicy': 'drf',
    'user ada.maxRunningApps': '5',
    userMaxAppsDefault: '9',
  });
  assert.equal(allocationKeys(undefined).size, 0);
  assert.throws(() => allocationKeys('<allocations><queue>'), ConfigurationRefused);
});
