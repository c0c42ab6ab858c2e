// Records why the scheduler gave or did not give, cycle by cycle, when somebody asks (Hadoop's ActivitiesManager).

/** Filled as cycles run; the views read it. */
export interface ActivityRecorder {
  readonly enabled: boolean;
}
