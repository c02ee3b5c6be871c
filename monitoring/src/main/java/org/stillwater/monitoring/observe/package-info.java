/**
 * How monitoring is watched: meters, flight-recorder events, complaints that are logged once. No
 * code of the package influences monitoring.
 */
@NullMarked
package org.stillwater.monitoring.observe;

import org.jspecify.annotations.NullMarked;
