// Paths of queues: names with dots between them.

/** The path of a queue and those of the queues above it: `root.a.b`, `root.a`, `root`. None of the empty path. */
export function queueAndAbove(path: string): string[] {
  const paths: string[] = [];
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) paths.push(at);
  return paths;
}
