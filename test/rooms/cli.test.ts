import { room } from '../support/room.ts';

room('src/cli', 'src/proxy');
