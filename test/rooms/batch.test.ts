import { room } from '../support/room.ts';

room(
  'src/batch/application-master',
  'src/batch/command',
  'src/batch/counters',
  'src/batch/http',
  'src/batch/shuffle',
  'src/batch/submission',
);
