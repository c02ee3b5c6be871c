/**
 * Measures the response times of the engine's interfaces, beside SQL joins over the same data, and
 * tests them with malformed requests.
 */
@NullMarked
package org.stillwater.benchmarks.api;

import org.jspecify.annotations.NullMarked;
