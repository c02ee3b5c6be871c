/**
 * Durable history: samples every VM and host once per interval, and brings what differs, and
 * roll-ups of what went by, to the database. Nothing here is on the way of a cycle or of the batch
 * writer, and what is asked of history is answered elsewhere.
 */
@NullMarked
package org.stillwater.monitoring.history.durable;

import org.jspecify.annotations.NullMarked;
