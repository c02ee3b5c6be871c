// Metrics by which the map colours VMs, besides those that the list has.

export interface Metric {
  /** The member of the statistics of all. */
  field: string;
  /** The value of the last colour; null for the largest value of all VMs. */
  most: number | null;
}

/** In the order of the choice. */
export const METRICS: Record<string, Metric> = {
  network: { field: 'usageNetworkPercent', most: 100 },
  diskRead: { field: 'diskReadRate', most: null },
  diskWrite: { field: 'diskWriteRate', most: null },
  uptime: { field: 'elapsedSeconds', most: null },
  age: { field: 'reportedAt', most: 60 },
};

/** All that the map is coloured by. */
export const COLOURINGS = ['status', 'cpu', 'memory', ...Object.keys(METRICS)];
