/**
 * Evaluates the alert rules of users on the fleet in memory, and over its past. {@code
 * org.stillwater.core.alert} defines rules; no code of this package is on the path of a cycle.
 */
@NullMarked
package org.stillwater.monitoring.alert;

import org.jspecify.annotations.NullMarked;
