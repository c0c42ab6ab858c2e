import { room } from '../support/room.ts';

room('test/cluster');
