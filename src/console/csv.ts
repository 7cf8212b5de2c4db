// Tables as CSV (RFC 4180).
import type { FastifyReply } from 'fastify';

type Cell = string | number | null;

export function sendCsv(
  reply: FastifyReply,
  filename: string,
  columns: string[],
  rows: Record<string, Cell>[],
): FastifyReply {
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name] ?? null))];
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${filename}"`)
    .send(lines.map((line) => `${line.map(cell).join(',')}\r\n`).join(''));
}

function cell(value: Cell): string {
  // An apostrophe is put before text that a spreadsheet would run as a formula.
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
