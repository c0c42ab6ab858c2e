import type { Submission } from '../../src/resource-manager/applications/submission.ts';
import { aSubmission } from '../../src/resource-manager/test-support/builders.ts';

export const nothingToRun = { commands: ['true'], environment: {}, localResources: {}, serviceData: {} };

export const submissionOf = (applicationId: string, more: Partial<Submission> = {}): Submission =>
  aSubmission({
    applicationId,
    name: 'history',
    resource: [256, 1],
    launch: nothingToRun,
    applicationLabelExpression: '',
    masterLabelExpression: '',
    ...more,
  });
