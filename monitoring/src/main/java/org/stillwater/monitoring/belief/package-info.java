/**
 * Beliefs of the engine about each VM and host, and their reasons: the last transitions in memory,
 * and all of a retention in the database. The package records the decisions of analysis and makes
 * none.
 */
@NullMarked
package org.stillwater.monitoring.belief;

import org.jspecify.annotations.NullMarked;
