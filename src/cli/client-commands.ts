// Commands that talk to a running cluster or look at settings.
import type { Command } from 'commander';
import { addAdmin } from './admin.ts';
import { addApp } from './app.ts';
import { addBackup } from './backup.ts';
import { addBatch } from './batch.ts';
import { addCluster } from './cluster.ts';
import { addCompletion } from './completion.ts';
import { addComplete } from './completion-words.ts';
import { addConfig } from './config.ts';
import { addContainer } from './container.ts';
import { addContext } from './context.ts';
import { addDoctor } from './doctor.ts';
import { addEvents } from './events.ts';
import type { RoleHost } from './host.ts';
import { addJob } from './job.ts';
import { addLabel } from './label.ts';
import { addNode } from './node.ts';
import { addQueue } from './queue.ts';
import { addReservation } from './reservation.ts';
import { addRun } from './run.ts';
import { addSchedule } from './schedule.ts';
import { addSecret } from './secret.ts';
import { addService } from './service.ts';
import { addSimulate } from './simulate.ts';
import { addTimeline } from './timeline.ts';
import { addToken } from './token.ts';
import { addUser } from './user.ts';
import { addWebhook } from './webhook.ts';

/** Registers them, in the order in which help lists them. */
export async function addClientCommands(program: Command, host: RoleHost): Promise<void> {
  addService(program);
  addRun(program);
  addBatch(program);
  addApp(program);
  addSchedule(program);
  addContainer(program);
  addEvents(program);
  addJob(program);
  addNode(program);
  addLabel(program);
  addQueue(program);
  addReservation(program);
  addUser(program);
  addCluster(program);
  addAdmin(program);
  addTimeline(program);
  addSecret(program);
  addToken(program);
  addWebhook(program);
  addSimulate(program);
  addContext(program);
  addConfig(program);
  addDoctor(program, host);
  addBackup(program, host);
  addCompletion(program);
  addComplete(program);
}
