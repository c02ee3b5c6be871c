/**
 * The monitoring engine under the fleet simulation of the test kit, and the verb that runs it.
 * Nothing here decides what is right: that is the simulation's.
 */
@NullMarked
package org.stillwater.benchmarks.simulate;

import org.jspecify.annotations.NullMarked;
