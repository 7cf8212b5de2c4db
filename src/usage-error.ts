// A wrong call of a command, as opposed to a command that failed.
export class UsageError extends Error {}
