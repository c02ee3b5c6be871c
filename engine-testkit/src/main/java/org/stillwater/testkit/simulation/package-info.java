/**
 * A fleet that lives through a random history on one thread and a virtual clock, and the rules that
 * an engine watching it must keep at every step. Nothing here knows how an engine is built; a
 * caller brings one as an {@link org.stillwater.testkit.simulation.EngineUnderSimulation}.
 */
@NullMarked
package org.stillwater.testkit.simulation;

import org.jspecify.annotations.NullMarked;
