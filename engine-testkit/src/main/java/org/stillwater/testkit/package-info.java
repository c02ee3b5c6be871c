/**
 * Fakes of the core's ports for tests: a clock that is moved, stores in memory, hosts that say what
 * a test tells them. Nothing here is used by the running engine.
 */
@NullMarked
package org.stillwater.testkit;

import org.jspecify.annotations.NullMarked;
