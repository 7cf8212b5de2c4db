import { uploadLeaks } from '#prove/upload-leaks.ts';
import { proveShort } from '#test/support/prove.ts';

proveShort(uploadLeaks);
