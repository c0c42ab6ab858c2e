import { room } from '../support/room.ts';

room('src/resource-manager');
