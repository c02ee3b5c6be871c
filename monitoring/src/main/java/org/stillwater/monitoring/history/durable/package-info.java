/**
 * Durable history: samples every VM and host once per interval, and writes changed values, and
 * roll-ups of past hours, to the database. No code of the package is on the path of a cycle or of
 * the batch writer; other packages answer queries of history.
 */
@NullMarked
package org.stillwater.monitoring.history.durable;

import org.jspecify.annotations.NullMarked;
