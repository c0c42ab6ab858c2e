// Which lines contain a text (-D grep.text=…), in which file and where? Without reduces (-D mapreduce.job.reduces=0) the lines keep their order.
import type { JobModule } from 'heddle/batch';

let wanted = '';

export default {
  setup(context) {
    wanted = context.setting('grep.text') ?? '';
    if (wanted === '') throw new Error('say what to look for: -D grep.text=…');
  },
  map(line, emit, position, context) {
    if (!line.includes(wanted)) return;
    context.count('grep', 'lines');
    emit(`${context.inputFile}:${position}`, line);
  },
} satisfies JobModule;
