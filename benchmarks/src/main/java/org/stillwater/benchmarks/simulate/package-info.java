/**
 * The monitoring engine under the fleet simulation of the test kit, and the verb that runs it. The
 * simulation defines the rules.
 */
@NullMarked
package org.stillwater.benchmarks.simulate;

import org.jspecify.annotations.NullMarked;
