/**
 * Watches the fleet for regressions: samples the statistics in memory, closes intervals, keeps
 * findings durable and tells users. What a finding is, is decided by {@code
 * org.stillwater.core.regression}; nothing here is on the path of a cycle.
 */
@NullMarked
package org.stillwater.monitoring.regression;

import org.jspecify.annotations.NullMarked;
