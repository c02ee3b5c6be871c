/**
 * Jobs that hosts do on VMs, live merges today: which ones the engine knows, and what becomes of
 * them. What a report means for a job is decided in {@code core.analysis}, not here.
 */
@NullMarked
package org.stillwater.monitoring.job;

import org.jspecify.annotations.NullMarked;
