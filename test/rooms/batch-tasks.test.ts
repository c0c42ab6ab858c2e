import { room } from '../support/room.ts';

room('src/batch/tasks');
