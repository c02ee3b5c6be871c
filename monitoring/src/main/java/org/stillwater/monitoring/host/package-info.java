/**
 * One monitor per host: mailbox, schedule, cycles, and the carrying out of decisions. What a report
 * means is decided in the core; the wire lives behind the host connection.
 */
@NullMarked
package org.stillwater.monitoring.host;

import org.jspecify.annotations.NullMarked;
