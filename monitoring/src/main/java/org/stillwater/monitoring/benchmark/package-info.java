/**
 * Benchmark runs of disks: receives them, keeps them durable, reports dips as findings, and permits
 * new runs. What a dip is, is decided by {@code org.stillwater.core.benchmark}; nothing here is on
 * the path of a cycle.
 */
@NullMarked
package org.stillwater.monitoring.benchmark;

import org.jspecify.annotations.NullMarked;
