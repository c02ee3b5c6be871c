/**
 * How many changed rows the engine's writer makes durable, beside a naive writer that does the same
 * work row by row.
 */
@NullMarked
package org.stillwater.benchmarks.write;

import org.jspecify.annotations.NullMarked;
