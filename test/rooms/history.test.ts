import { room } from '../support/room.ts';

room('src/history', 'src/timeline');
