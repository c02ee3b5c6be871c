/**
 * Micro-benchmarks (JMH) of code that a profile shows as hot, run by {@code ./stillwater bench
 * micro}. The scale harness, not a micro-benchmark, decides about a design.
 */
@NullMarked
package org.stillwater.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
