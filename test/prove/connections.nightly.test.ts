import { connections } from '#lab/prove/connections.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(connections);
