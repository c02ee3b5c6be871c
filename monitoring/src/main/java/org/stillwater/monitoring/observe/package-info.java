/**
 * How monitoring is watched: meters, flight-recorder events, complaints that are logged once.
 * Nothing here influences what monitoring does.
 */
@NullMarked
package org.stillwater.monitoring.observe;

import org.jspecify.annotations.NullMarked;
