// The points between a request's bytes and its answer at which a crash must lose nothing and charge nothing. Production code
// announces each point; only the crash proof listens, and kills the process there.

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
  /** A render that is queued passes these, and then those of a render from `page rendered` on. */
  job: ['job files durable', 'job written', 'job committed'],
} as const;

export type CrashPoint = (typeof crashPoints)[keyof typeof crashPoints][number];

export type OnCrashPoint = (point: CrashPoint) => void;

export const noCrashPoints: OnCrashPoint = () => {};
