/**
 * A fleet with a random history on one thread and a virtual clock, and the rules that an engine
 * must keep at every step. The simulation does not depend on an engine; the caller supplies one as
 * an {@link org.stillwater.testkit.simulation.EngineUnderSimulation}.
 */
@NullMarked
package org.stillwater.testkit.simulation;

import org.jspecify.annotations.NullMarked;
