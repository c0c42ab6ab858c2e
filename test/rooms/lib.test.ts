import { room } from '../support/room.ts';

room('src/lib', 'src/model', 'src/storage');
