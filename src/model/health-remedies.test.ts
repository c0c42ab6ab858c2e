import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthRemedies } from './health-remedies.ts';

test('each complaint about a folder comes with what can be done', () => {
  assert.deepEqual(healthRemedies(''), []);
  const full =
    '1/2 local-dirs usable space is below configured utilization percentage/no more usable space  [ /a : used space above threshold of 90.0% ] ';
  const broken = '2/2 log-dirs have errors:  [ /b, c : Directory is not writable: /b, c, /d : Not a directory: /d ] ';
  assert.deepEqual(healthRemedies(`${full}; ${broken}`), [
    'Make room on the disk of /a, or raise yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage.',
    'Let the user of the node manager read, write and enter /b, c (chown, chmod; mount a disk that became read-only again), or name other folders in yarn.nodemanager.log-dirs.',
    'Move the file /d away, or name other folders in yarn.nodemanager.log-dirs.',
  ]);
  assert.deepEqual(
    healthRemedies(
      '1/1 local-dirs usable space is below configured utilization percentage/no more usable space  [ /a : free space below limit of 5MB ] ',
    ),
    ['Make room on the disk of /a, or lower yarn.nodemanager.disk-health-checker.min-free-space-per-disk-mb.'],
  );
  assert.deepEqual(
    healthRemedies(
      'The state of the node cannot be written to /data/recovery: database or disk is full. Until it can, nothing new is started here.',
    ),
    ['Make room on the disk of /data/recovery, or mount it again; the node goes on by itself.'],
  );
  assert.match(healthRemedies(`ERROR the fan is broken;${full}`).at(-1) ?? '', /^A health script says so/);
  assert.match(healthRemedies('1/1 log-dirs have errors:  [ /a : Cannot create directory: /a/x ] ')[0] ?? '', /make folders in \/a /);
});
