/**
 * Benchmark runs of disks: receives them, keeps them durable, reports dips as findings, and permits
 * new runs. {@code org.stillwater.core.benchmark} defines dips; no code of this package is on the
 * path of a cycle.
 */
@NullMarked
package org.stillwater.monitoring.benchmark;

import org.jspecify.annotations.NullMarked;
