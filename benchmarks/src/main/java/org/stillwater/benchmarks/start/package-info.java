/**
 * How long an engine takes to serve what its database holds, and how it goes about its hosts then.
 */
@NullMarked
package org.stillwater.benchmarks.start;

import org.jspecify.annotations.NullMarked;
