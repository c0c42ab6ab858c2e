/**
 * bash for a script of Heddle's own, which follows behind `-c`. A shell whose standard input is a socket, as Node.js makes pipes, takes itself for one that
 * rshd began and reads its user's ~/.bashrc first (bash(1), INVOCATION): whatever that does or prints is not for scripts of ours.
 */
export const bash = ['/bin/bash', '--norc'] as const;
