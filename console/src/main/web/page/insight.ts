// The pages of regressions, alerts and benchmarks, in one part.
export { Alerts as alerts } from './alerts';
export { Benchmarks as benchmarks } from './benchmarks';
export { Findings as findings } from './findings';
