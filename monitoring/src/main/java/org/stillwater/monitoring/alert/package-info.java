/**
 * Evaluates the alert rules of users on the fleet in memory, and over its past. What a rule is, is
 * decided by {@code org.stillwater.core.alert}; nothing here is on the path of a cycle.
 */
@NullMarked
package org.stillwater.monitoring.alert;

import org.jspecify.annotations.NullMarked;
