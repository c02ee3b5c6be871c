/**
 * Micro-benchmarks (JMH) of code that a profile called hot, run by {@code ./stillwater bench
 * micro}. Nothing here decides a design by itself: the scale harness has the last word.
 */
@NullMarked
package org.stillwater.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
