/**
 * The {@code ./stillwater bench} program: its verbs and options. The package {@code scale}
 * measures, {@code micro} holds micro-benchmarks; the product does not use this module.
 */
@NullMarked
package org.stillwater.benchmarks;

import org.jspecify.annotations.NullMarked;
