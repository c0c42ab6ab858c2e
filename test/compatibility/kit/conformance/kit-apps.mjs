export const RM = '/ws/v1/cluster';
