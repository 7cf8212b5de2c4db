import { connections } from '#prove/connections.ts';
import { proveShort } from '#test/support/prove.ts';

proveShort(connections);
