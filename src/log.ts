// The process log, without secrets: JSON lines on stdout; readable lines when stdout is a terminal.
import { pino, type Logger } from 'pino';
import { createOutput, type Output } from '#roof/output.ts';

export function createLog(level: string, output: Output = createOutput()): Logger {
  const options = {
    level,
    // Nothing logs headers today; this keeps secrets out if something starts to.
    redact: [
      'headers.authorization',
      'headers.cookie',
      'req.headers.authorization',
      'req.headers.cookie',
      '*.token',
      '*.key_hash',
    ],
  };
  return pino(options, { write: (line) => output.write(output.isTerminal ? readable(line) : line) });
}

/** Fields that the readable line shows in their own place, or not at all. */
const known = ['level', 'time', 'pid', 'hostname', 'msg', 'err', 'link'];

/** `14:08:12 info  request  method=POST path=/api/v1/upload status=201`; a link logged in place of an e-mail gets its own line. */
export function readable(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { level, time, msg, err, link } = entry;
  const fields = Object.entries(entry)
    .filter(([name, value]) => !known.includes(name) && value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  const first = [
    at,
    (pino.levels.labels[Number(level)] ?? String(level)).padEnd(5),
    typeof msg === 'string' ? msg : '',
    ...fields,
  ].join('  ');
  const stack = (err as { stack?: unknown } | undefined)?.stack;
  return [
    first,
    ...(typeof link === 'string' ? ['', `    ${link}`, ''] : []),
    ...(typeof stack === 'string' ? [stack] : []),
    '',
  ].join('\n');
}
