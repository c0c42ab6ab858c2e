import { room } from '../support/room.ts';

room('src/wire', 'src/config', 'src/web');
