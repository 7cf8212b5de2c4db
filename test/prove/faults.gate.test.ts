import { faults } from '#lab/prove/faults.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(faults);
