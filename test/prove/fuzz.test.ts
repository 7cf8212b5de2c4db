import { fuzz } from '#prove/fuzz.ts';
import { proveShort } from '#test/support/prove.ts';

proveShort(fuzz);
