import { room } from '../support/room.ts';

room('src/auth', 'src/http', 'src/rpc', 'src/client');
