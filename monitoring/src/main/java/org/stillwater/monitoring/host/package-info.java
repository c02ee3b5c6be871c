/**
 * One monitor per host: mailbox, schedule, cycles, and the execution of decisions. The core
 * evaluates reports; the wire lives behind the host connection.
 */
@NullMarked
package org.stillwater.monitoring.host;

import org.jspecify.annotations.NullMarked;
