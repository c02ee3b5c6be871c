/**
 * How well the engine's detector of change points does on series with known changes, beside other
 * detectors on the same series. Detectors do not live here.
 */
@NullMarked
package org.stillwater.benchmarks.regressions;

import org.jspecify.annotations.NullMarked;
