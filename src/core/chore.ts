// Work that a room repeats in the background. The room says what and how often; service.ts runs it.

export interface Chore {
  name: string;
  everyMs: number;
  run(): Promise<unknown>;
  /** Every machine runs it. Otherwise one of the machines that share a database runs each round. */
  onEveryMachine?: boolean;
}

export const seconds = (count: number): number => count * 1000;
export const hours = (count: number): number => count * 60 * 60 * 1000;
