// Machine code for x86-64 that makes system calls, in a file that runs or in the memory of another process.

/** What the call before it returned. */
export const last = Symbol('last');
/** A text is given as its address. */
type Argument = number | bigint | string | Buffer | typeof last;
export type Call = readonly [number: number, ...args: Argument[]];

/** Linux, x86-64. */
export const calls = {
  socket: 41,
  connect: 42,
  sendto: 44,
  fork: 57,
  execve: 59,
  kill: 62,
  ptrace: 101,
  setuid: 105,
  setgid: 106,
  setgroups: 116,
  prctl: 157,
  openat: 257,
  process_vm_readv: 310,
  seccomp: 317,
  io_uring_setup: 425,
  openat2: 437,
} as const;

const registers: readonly (readonly number[])[] = [
  [0x48, 0xbf],
  [0x48, 0xbe],
  [0x48, 0xba],
  [0x49, 0xba],
  [0x49, 0xb8],
  [0x49, 0xb9],
];
const loadResult = [0x48, 0xb8];
const resultAsFirst = Buffer.from([0x48, 0x89, 0xc7]);
const systemCall = Buffer.from([0x0f, 0x05]);

/** The bytes that calls point to, which follow the code. */
interface Texts {
  addressOf(text: string | Buffer): number;
}

export function withTexts(address: number, write: (texts: Texts) => Buffer): Buffer {
  // First with any addresses, to learn the length of the code: it is the same with the right ones.
  const codeBytes = write({ addressOf: () => 0 }).length;
  const texts: Buffer[] = [];
  let next = address + codeBytes;
  const code = write({
    addressOf(text) {
      const bytes = Buffer.isBuffer(text) ? text : Buffer.from(`${text}\0`);
      texts.push(bytes);
      next += bytes.length;
      return next - bytes.length;
    },
  });
  return Buffer.concat([code, ...texts]);
}

/** What the last one returns is in `rax`. */
export function codeOfCalls(made: readonly Call[], texts: Texts): Buffer {
  return Buffer.concat(
    made.flatMap(([number, ...args]) => [
      ...args.map((argument, index) => {
        if (argument === last) return resultAsFirst;
        const isText = typeof argument === 'string' || Buffer.isBuffer(argument);
        return load(registers[index]!, isText ? texts.addressOf(argument) : argument);
      }),
      load(loadResult, number),
      systemCall,
    ]),
  );
}

/** Puts 64 bits into a register. */
function load(register: readonly number[], value: number | bigint): Buffer {
  const immediate = Buffer.alloc(8);
  immediate.writeBigInt64LE(BigInt(value));
  return Buffer.concat([Buffer.from(register), immediate]);
}

/** For `rax`. */
export const loadMarker = (value: bigint): Buffer => load(loadResult, value);

/** A program in a file: one segment, which may be read and run. */
export function executable(write: (address: number) => Buffer): Buffer {
  const [base, headBytes] = [0x400000, 120];
  const code = write(base + headBytes);
  const head = Buffer.alloc(headBytes);
  Buffer.from('7f454c46020101', 'hex').copy(head);
  head.writeUInt16LE(2, 16);
  head.writeUInt16LE(0x3e, 18);
  head.writeUInt32LE(1, 20);
  head.writeBigUInt64LE(BigInt(base + headBytes), 24);
  head.writeBigUInt64LE(64n, 32);
  head.writeUInt16LE(64, 52);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(1, 56);
  head.writeUInt32LE(1, 64);
  head.writeUInt32LE(5, 68);
  head.writeBigUInt64LE(BigInt(base), 80);
  head.writeBigUInt64LE(BigInt(base), 88);
  head.writeBigUInt64LE(BigInt(headBytes + code.length), 96);
  head.writeBigUInt64LE(BigInt(headBytes + code.length), 104);
  head.writeBigUInt64LE(0x1000n, 112);
  return Buffer.concat([head, code]);
}
