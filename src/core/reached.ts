// The points between a request's bytes and its answer at which a crash must lose nothing and charge nothing. The code tells
// when it gets to one; nobody listens but a proof that ends the process there.

export const crashPoints = {
  upload: [
    'files received',
    'file synced',
    'file renamed',
    'file durable',
    'unit taken',
    'row written',
    'upload committed',
  ],
  render: [
    'lease taken',
    'page rendered',
    'file synced',
    'file renamed',
    'render durable',
    'render written',
    'render committed',
  ],
} as const;

export type CrashPoint = (typeof crashPoints)[keyof typeof crashPoints][number];

export type Reached = (point: CrashPoint) => void;

export const passBy: Reached = () => {};
