import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seccompProfile } from './seccomp.ts';

const refused = (capabilities: readonly string[]): Set<string> => {
  const { syscalls } = seccompProfile(capabilities) as { syscalls: readonly { names: readonly string[] }[] };
  return new Set(syscalls.flatMap(({ names }) => names));
};

it('a profile refuses what no capability of the container allows', () => {
  for (const name of ['mount', 'unshare', 'clone', 'clone3', 'bpf', 'keyctl', 'init_module', 'reboot'])
    assert.ok(refused([]).has(name), name);
  const administrators = refused(['cap_sys_admin']);
  for (const name of ['mount', 'unshare', 'clone', 'clone3', 'bpf']) assert.ok(!administrators.has(name), name);
  for (const name of ['keyctl', 'init_module', 'reboot']) assert.ok(administrators.has(name), name);
  for (const name of ['read', 'execve', 'ptrace', 'socket', 'setuid']) assert.ok(!refused([]).has(name), name);
});

it('a profile holds for programs of every kind that the processor runs', () => {
  assert.deepEqual((seccompProfile([], 'x64') as { architectures: string[] }).architectures, [
    'SCMP_ARCH_X86_64',
    'SCMP_ARCH_X86',
    'SCMP_ARCH_X32',
  ]);
  assert.ok(!('architectures' in seccompProfile([], 'riscv64')));
});
