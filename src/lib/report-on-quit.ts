// SIGQUIT asks a process what it is doing: a JVM writes its threads and goes on. Without this Node would end.

/** From now on this process answers SIGQUIT by one line on standard error, and goes on. */
export function reportOnQuit(): void {
  process.on('SIGQUIT', () => {
    const waitsFor = new Map<string, number>();
    for (const kind of process.getActiveResourcesInfo()) waitsFor.set(kind, (waitsFor.get(kind) ?? 0) + 1);
    const memoryMiB = Math.round(process.memoryUsage.rss() / 2 ** 20);
    const list = [...waitsFor].map(([kind, count]) => `${count} ${kind}`).join(', ');
    process.stderr.write(`SIGQUIT: up for ${Math.round(process.uptime())} s, ${memoryMiB} MiB, waits for ${list || 'nothing'}\n`);
  });
}
