/**
 * Costs of XAPI pools for the engine: simulated pools, the engine and npm's client are processes of
 * their own. The adapter does not live here.
 */
@NullMarked
package org.stillwater.benchmarks.xapi;

import org.jspecify.annotations.NullMarked;
