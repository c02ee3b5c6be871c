/**
 * Change points of a series of measurements: where a level moved, by how much, how surely. Series
 * are arrays of numbers here; reading them from the history, storing findings and alerting do not
 * live here.
 */
@NullMarked
package org.stillwater.core.regression;

import org.jspecify.annotations.NullMarked;
