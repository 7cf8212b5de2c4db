// Takes a process over, as a fault in a decoder would: its first thread runs machine code that is written into its memory, with all that
// the process may do and all that it may not. For Linux on x86-64.
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { codeOfCalls, loadMarker, withTexts, type Call } from '#test/support/machine-code.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** What the code has got: the value that its last call returned, or that the process was ended for it. */
export type Outcome = number | 'ended';

const marker = 0x7469_6e74_7970_6521n;
const resultBytes = 16;
/** `jmp` to itself, and two instructions that do nothing, for when it may go on. */
const spin = Buffer.from([0xeb, 0xfe]);
const goOn = Buffer.from([0x90, 0x90]);

/** `wake` makes the first thread do something. The process is of no use afterwards. */
export async function takeOver(
  pid: number,
  tries: readonly (readonly Call[])[],
  wake: () => void,
): Promise<Outcome[]> {
  const memory = openSync(`/proc/${pid}/mem`, 'r+');
  try {
    const { stack, next } = await waitingThread(pid);
    const spins: number[] = [];
    const make = (address: number) =>
      withTexts(address, (texts) => {
        let code: Buffer = Buffer.alloc(0);
        for (const [index, made] of tries.entries()) {
          // Both on the stack: what the call has returned, and that it has.
          const push = Buffer.concat([Buffer.from([0x50]), loadMarker(marker), Buffer.from([0x50])]);
          code = Buffer.concat([code, codeOfCalls(made, texts), push, spin]);
          spins[index] = address + code.length - spin.length;
        }
        return Buffer.concat([code, spin]);
      });
    const cave = findCave(pid, memory, make(0).length);
    writeAll(memory, make(cave), cave);
    // `jmp` to the code, at the place to which the system returns.
    writeAll(memory, Buffer.concat([loadMarker(BigInt(cave)), Buffer.from([0xff, 0xe0])]), next);
    wake();
    const outcomes: Outcome[] = [];
    for (const [index, place] of spins.entries()) {
      const outcome = await outcomeOf(pid, memory, stack - resultBytes * (index + 1));
      outcomes.push(outcome);
      if (outcome === 'ended') break;
      writeAll(memory, goOn, place);
    }
    return outcomes;
  } finally {
    closeSync(memory);
  }
}

async function outcomeOf(pid: number, memory: number, at: number): Promise<Outcome> {
  const seen = Buffer.alloc(resultBytes);
  let outcome: Outcome | undefined;
  await waitFor('what the code has got', () => {
    if (!isRunning(pid)) outcome = 'ended';
    else if (readAll(memory, seen, at) && seen.readBigUInt64LE(0) === marker)
      outcome = Number(seen.readBigInt64LE(8));
    return outcome !== undefined;
  });
  return outcome!;
}

/** Where its first thread waits in a call of the system. */
async function waitingThread(pid: number): Promise<{ stack: number; next: number }> {
  let words: string[] = [];
  await waitFor('its thread to wait', () => {
    words = readFileSync(`/proc/${pid}/syscall`, 'latin1').trim().split(' ');
    return words.length === 9 && Number(words[0]) >= 0;
  });
  return { stack: Number(words[7]), next: Number(words[8]) };
}

/** Zeros after the code of a library, up to the end of the page. */
function findCave(pid: number, memory: number, bytes: number): number {
  const wanted = bytes + 32;
  for (const line of readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n')) {
    const [, end, rights, name] = /^\S+-(\S+) (\S+) \S+ \S+ \S+ +(\/.*)$/.exec(line) ?? [];
    if (end === undefined || name === undefined || !rights?.startsWith('r-x')) continue;
    const tail = Buffer.alloc(wanted);
    const at = Number.parseInt(end, 16) - wanted;
    if (readAll(memory, tail, at) && tail.every((byte) => byte === 0)) return at + 32;
  }
  throw new Error(`no library of the process has ${wanted} free bytes`);
}

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3));
  } catch {
    return false;
  }
}

/** False if the memory is gone. */
function readAll(memory: number, bytes: Buffer, at: number): boolean {
  try {
    return readSync(memory, bytes, 0, bytes.length, at) === bytes.length;
  } catch {
    return false;
  }
}

function writeAll(memory: number, bytes: Buffer, at: number): void {
  if (writeSync(memory, bytes, 0, bytes.length, at) !== bytes.length)
    throw new Error('the memory of the process cannot be written');
}
