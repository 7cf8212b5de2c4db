// Work that a room repeats in the background. The room says what and how often; service.ts runs it.

export interface Chore {
  name: string;
  everyMs: number;
  run(): Promise<unknown>;
  /** If true, every machine runs it. Otherwise one of the machines that share a database runs it each time. */
  onEveryMachine?: boolean;
}

export const seconds = (count: number): number => count * 1000;
export const hours = (count: number): number => count * 60 * 60 * 1000;
