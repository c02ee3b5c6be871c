/**
 * Measures the start of an engine: the time until it serves its database's content, and its
 * connections to hosts.
 */
@NullMarked
package org.stillwater.benchmarks.start;

import org.jspecify.annotations.NullMarked;
