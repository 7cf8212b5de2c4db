// The browser's word on a command that comes too late.
import { CdpError } from '#browser/process/cdp.ts';

/** The browser is running and refused the command, as it does when a document or a frame goes away during it. */
export const isRefusal = (error: unknown): boolean => error instanceof CdpError && !error.connectionLost;
