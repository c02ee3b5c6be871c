/**
 * Regressions: series of measurements, their change points, and findings with object, begin, size
 * and coinciding changes of each regression. Sampling of the fleet, storage of findings and
 * notification of users do not belong here.
 */
@NullMarked
package org.stillwater.core.regression;

import org.jspecify.annotations.NullMarked;
