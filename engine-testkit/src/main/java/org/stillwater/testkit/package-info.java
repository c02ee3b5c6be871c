/**
 * Fakes of the core's ports for tests: a clock that is moved, stores in memory, hosts that say what
 * a test tells them, the contracts that every store keeps, samples of data. Nothing here is used by
 * the running engine.
 */
@NullMarked
package org.stillwater.testkit;

import org.jspecify.annotations.NullMarked;
