/**
 * Regressions: series of measurements, their change points, and findings, which say where a level
 * moved, when, by how much, and which recorded changes coincide. Sampling the fleet, storing
 * findings and telling users do not live here.
 */
@NullMarked
package org.stillwater.core.regression;

import org.jspecify.annotations.NullMarked;
