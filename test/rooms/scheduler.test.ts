import { room } from '../support/room.ts';

room('src/scheduler', 'src/scheduler-settings', 'src/simulation');
