// The process's log: JSON lines on stdout, without secrets.
import { pino, type Logger } from 'pino';

export function createLog(level: string): Logger {
  return pino({
    level,
    // Nothing logs headers today; should something start to, these stay out.
    redact: [
      'headers.authorization',
      'headers.cookie',
      'req.headers.authorization',
      'req.headers.cookie',
      '*.token',
      '*.key_hash',
    ],
  });
}
