/**
 * Supervised threads: each loop of the engine runs under one guard that keeps it alive, counts its
 * failures and reports its state in health. The work of a loop must not live here.
 */
@NullMarked
package org.stillwater.monitoring.worker;

import org.jspecify.annotations.NullMarked;
