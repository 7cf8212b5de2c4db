// Starts a program as another user, and with the filter of system calls that its container has, without a container engine: what an engine
// adds (namespaces, a file system of its own) only takes more away. For Linux on x86-64.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calls, codeOfCalls, executable, withTexts, type Call } from '#test/support/machine-code.ts';
import { root } from '#test/support/processes.ts';

/** Those of deploy/seccomp.json that x86-64 has. */
const numbers = new Map(
  [
    '_sysctl 156,acct 163,add_key 248,bpf 321,clock_adjtime 305,clock_settime 227,create_module 174,delete_module 176,finit_module 313',
    'fsconfig 431,fsmount 432,fsopen 430,fspick 433,get_kernel_syms 177,init_module 175,ioperm 173,iopl 172,kcmp 312,kexec_file_load 320',
    'kexec_load 246,keyctl 250,lookup_dcookie 212,mbind 237,migrate_pages 256,mount 165,mount_setattr 442,move_mount 429,move_pages 279',
    'name_to_handle_at 303,nfsservctl 180,open_by_handle_at 304,open_tree 428,perf_event_open 298,pivot_root 155,process_vm_readv 310',
    'process_vm_writev 311,query_module 178,quotactl 179,quotactl_fd 443,reboot 169,request_key 249,set_mempolicy 238,setdomainname 171',
    'sethostname 170,settimeofday 164,swapoff 168,swapon 167,sysfs 139,syslog 103,umount2 166,uselib 134,userfaultfd 323,ustat 136,vhangup 153',
  ]
    .flatMap((line) => line.split(','))
    .map((entry) => entry.split(' '))
    .map(([name, number]) => [name!, Number(number)]),
);
const onOtherMachines = ['stime', 'umount', 'vm86', 'vm86old'];

interface Settings {
  /** Of the user and its group; the one that runs the tests otherwise. */
  id: number | undefined;
  /** No new privileges, and deploy/seccomp.json. */
  isContainer: boolean;
}

/** Writes a program that runs its arguments with these settings, and returns its path. */
export function writeLauncher(folder: string, { id, isContainer }: Settings): string {
  const path = join(folder, 'launcher');
  const program = executable((address) =>
    withTexts(address, (texts) => {
      const filter = filterOf('seccomp.json');
      const become: Call[] =
        id === undefined
          ? []
          : [
              [calls.setgroups, 0, 0],
              [calls.setgid, id],
              [calls.setuid, id],
            ];
      const about = Buffer.alloc(16);
      about.writeUInt16LE(filter.length / 8, 0);
      about.writeBigUInt64LE(BigInt(texts.addressOf(filter)), 8);
      const confine: Call[] = [
        [calls.prctl, 38, 1, 0, 0, 0],
        [calls.seccomp, 1, 0, about],
      ];
      return Buffer.concat([
        codeOfCalls([...become, ...(isContainer ? confine : [])], texts),
        // Its own arguments and environment, one place later.
        Buffer.from('488b7c2410488d742410488b0424488d54c410', 'hex'),
        codeOfCalls([[calls.execve], [60]], texts),
      ]);
    }),
  );
  writeFileSync(path, program, { mode: 0o755 });
  return path;
}

/** The filter in the language of the kernel. Refuses what it does not know, so that a change of the file is seen here. */
function filterOf(name: string): Buffer {
  const { defaultAction, syscalls } = JSON.parse(readFileSync(join(root, 'deploy', name), 'utf8')) as {
    defaultAction: string;
    syscalls: { action: string; names: string[] }[];
  };
  const [rule, ...others] = syscalls;
  if (defaultAction !== 'SCMP_ACT_ALLOW' || rule?.action !== 'SCMP_ACT_ERRNO' || others.length > 0)
    throw new Error(`deploy/${name} has rules that this launcher cannot make`);
  const refused = rule.names.flatMap((call) => {
    const number = numbers.get(call);
    if (number === undefined && !onOtherMachines.includes(call))
      throw new Error(`the number of ${call} is not known here`);
    return number ?? [];
  });
  const [loadWord, jumpIfEqual, answer] = [0x20, 0x15, 0x06];
  const instructions = [
    [loadWord, 0, 0, 4],
    [jumpIfEqual, 0, refused.length + 1, 0xc000_003e],
    [loadWord, 0, 0, 0],
    ...refused.map((number, index) => [jumpIfEqual, refused.length - index, 0, number]),
    [answer, 0, 0, 0x7fff_0000],
    [answer, 0, 0, 0x0005_0001],
  ];
  return Buffer.concat(
    instructions.map(([code, yes, no, value]) => {
      const instruction = Buffer.from([code!, 0, yes!, no!, 0, 0, 0, 0]);
      instruction.writeUInt32LE(value!, 4);
      return instruction;
    }),
  );
}
