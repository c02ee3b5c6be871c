package org.stillwater.monitoring.regression;

/**
 * How far the search for regressions is.
 *
 * @param series series that are measured
 * @param open findings that last
 * @param refused series and findings that limits refused so far
 * @param unsaved findings that are not durable yet
 * @param restored whether the findings of former lives of the engine are known
 */
public record RegressionState(int series, int open, long refused, int unsaved, boolean restored) {}
