/**
 * How fast the engine's interfaces answer, beside SQL joins over the same data, and what they make
 * of requests that nobody should send.
 */
@NullMarked
package org.stillwater.benchmarks.api;

import org.jspecify.annotations.NullMarked;
