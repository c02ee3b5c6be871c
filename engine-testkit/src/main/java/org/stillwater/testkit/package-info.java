/**
 * Fakes of the core's ports for tests: a clock that tests move, stores in memory, scripted hosts,
 * the contracts of all stores, samples of data. The running engine does not use this module.
 */
@NullMarked
package org.stillwater.testkit;

import org.jspecify.annotations.NullMarked;
