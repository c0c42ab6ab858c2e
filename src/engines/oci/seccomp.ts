// System calls that containers in images may not make (linux.seccomp of the OCI runtime-spec): those that reach the kernel's own parts or what the
// namespaces of a container do not keep apart. Programs of jobs need none of them; most would fail for the missing capability all
// the same, so the profile is a second wall, and the only one around user namespaces, in which capabilities grow anew.

const notPermitted = 1;
const notImplemented = 38;
const newUserNamespace = 0x10000000;

/** Refused with EPERM, by the capability that allows them where a container has it; empty: always. */
const refused: Readonly<Record<string, readonly string[]>> = {
  '': ['add_key', 'keyctl', 'request_key', 'userfaultfd', 'vm86', 'vm86old', 'nfsservctl', 'lookup_dcookie', 'kcmp'],
  SYS_ADMIN: [
    ...['mount', 'umount', 'umount2', 'pivot_root', 'setns', 'move_mount', 'open_tree', 'open_tree_attr', 'mount_setattr'],
    ...['fsopen', 'fsconfig', 'fsmount', 'fspick', 'swapon', 'swapoff', 'quotactl', 'quotactl_fd', 'fanotify_init'],
    ...['bpf', 'perf_event_open', 'sethostname', 'setdomainname', 'vhangup'],
  ],
  SYS_MODULE: ['init_module', 'finit_module', 'delete_module', 'create_module'],
  SYS_BOOT: ['kexec_load', 'kexec_file_load', 'reboot'],
  SYS_RAWIO: ['iopl', 'ioperm'],
  SYS_TIME: ['clock_settime', 'clock_settime64', 'settimeofday', 'stime'],
  SYS_PACCT: ['acct'],
  DAC_READ_SEARCH: ['open_by_handle_at'],
  SYS_CHROOT: ['chroot'],
};

/** Each machine also runs programs of its narrower kinds, whose calls have other numbers. */
const architectures: Readonly<Record<string, readonly string[]>> = {
  x64: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'],
  arm64: ['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM'],
};

/** The profile for containers with these capabilities (without CAP_) on a processor as Node names it. */
export function seccompProfile(capabilities: readonly string[], architecture: string = process.arch): object {
  const held = new Set(capabilities.map((name) => name.toUpperCase().replace(/^CAP_/, '')));
  const names = Object.entries(refused).flatMap(([capability, calls]) => (held.has(capability) ? [] : calls));
  const namesUser = { index: 0, value: newUserNamespace, valueTwo: newUserNamespace, op: 'SCMP_CMP_MASKED_EQ' };
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    ...(architectures[architecture] && { architectures: architectures[architecture] }),
    syscalls: [
      { names, action: 'SCMP_ACT_ERRNO', errnoRet: notPermitted },
      // Programs do without these where the kernel has none.
      { names: ['io_uring_setup', 'io_uring_enter', 'io_uring_register'], action: 'SCMP_ACT_ERRNO', errnoRet: notImplemented },
      ...(held.has('SYS_ADMIN')
        ? []
        : [
            { names: ['clone', 'unshare'], action: 'SCMP_ACT_ERRNO', errnoRet: notPermitted, args: [namesUser] },
            // Its flags lie in memory, where no filter sees them; the C library falls back to clone.
            { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: notImplemented },
          ]),
    ],
  };
}
