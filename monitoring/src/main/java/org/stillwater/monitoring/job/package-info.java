/**
 * Jobs that hosts do on VMs, live merges today: the known jobs and their changes. {@code
 * core.analysis} evaluates reports about jobs.
 */
@NullMarked
package org.stillwater.monitoring.job;

import org.jspecify.annotations.NullMarked;
