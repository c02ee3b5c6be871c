/**
 * Watches the fleet for regressions: samples the statistics in memory, closes intervals, stores
 * findings and notifies users. The package {@code org.stillwater.core.regression} decides about
 * findings; no code of this package is on the path of a cycle.
 */
@NullMarked
package org.stillwater.monitoring.regression;

import org.jspecify.annotations.NullMarked;
