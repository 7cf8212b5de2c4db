import { faults } from '#prove/faults.ts';
import { proveShort } from '#test/support/prove.ts';

proveShort(faults);
