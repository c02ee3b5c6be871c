/**
 * The {@code ./stillwater bench} program: its verbs and options. Measuring lives in {@code scale},
 * micro-benchmarks in {@code micro}; nothing here is part of the product.
 */
@NullMarked
package org.stillwater.benchmarks;

import org.jspecify.annotations.NullMarked;
