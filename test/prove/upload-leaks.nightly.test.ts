import { uploadLeaks } from '#lab/prove/upload-leaks.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(uploadLeaks);
