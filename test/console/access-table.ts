// What an account may hold, and what becomes of it. access-table.test.ts tests every cell on a real service, and checks that the
// table in the decision is this one.

export const events = [
  'before proof',
  'proof: verification link',
  'proof: password reset',
  'proof: sign-in link',
  "operator's word",
  'password reset',
  'change of address',
  'suspension',
  'deletion',
] as const;
export type Event = (typeof events)[number];

/**
 * - yes, no: it can be made and works, or it is refused with the reason.
 * - stays, ends: it works as before, or never again.
 * - stops: it does not work until the suspension is lifted.
 */
export type Cell = 'yes' | 'no' | 'stays' | 'ends' | 'stops';

const ends = Array<Cell>(3).fill('ends');
const stays = Array<Cell>(3).fill('stays');

/** One cell for each event, in their order. */
export const accessTable = {
  'other session': ['yes', ...ends, 'stays', 'ends', 'stays', 'stays', 'ends'],
  password: ['yes', 'stays', 'ends', 'ends', 'stays', 'ends', 'stays', 'stays', 'ends'],
  'API key': ['no', ...ends, 'stays', 'stays', 'stays', 'stops', 'ends'],
  'webhook endpoint': ['no', ...ends, 'stays', 'stays', 'stays', 'stops', 'ends'],
  'link key and its links': ['no', ...ends, 'stays', 'stays', 'stays', 'stops', 'ends'],
  'upload link': ['no', ...ends, 'stays', 'stays', 'stays', 'stops', 'ends'],
  passkey: ['no', ...ends, 'stays', 'stays', 'stays', 'stays', 'ends'],
  'codes from an app': ['no', ...ends, 'stays', 'stays', 'stays', 'stays', 'ends'],
  'recovery code': ['no', ...ends, 'stays', 'stays', 'stays', 'stays', 'ends'],
  'sign-in that waits for its code': ['no', ...ends, 'stays', 'ends', 'ends', 'stays', 'ends'],
  'verification link': ['yes', ...ends, 'stays', 'ends', 'ends', 'stops', 'ends'],
  'password link': ['yes', ...ends, 'stays', 'ends', 'ends', 'stays', 'ends'],
  'change-of-address link': ['yes', ...ends, 'stays', 'ends', 'ends', 'stops', 'ends'],
  "operator's sign-in link": ['yes', ...ends, 'stays', 'ends', 'ends', 'stays', 'ends'],
  'upload and its link': ['no', ...stays, 'stays', 'stays', 'stays', 'stops', 'ends'],
  'delete link of an upload': ['no', ...stays, 'stays', 'stays', 'stays', 'stops', 'ends'],
  'hosted render': ['no', ...stays, 'stays', 'stays', 'stays', 'stops', 'ends'],
  'stored response of an Idempotency-Key': ['no', ...stays, 'stays', 'stays', 'stays', 'stops', 'ends'],
} satisfies Record<string, Cell[]>;
export type Row = keyof typeof accessTable;

export function asMarkdown(): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...events]),
    `|${'---|'.repeat(events.length + 1)}`,
    ...Object.entries(accessTable).map(([row, cells]) => line([row, ...cells])),
  ].join('\n');
}
