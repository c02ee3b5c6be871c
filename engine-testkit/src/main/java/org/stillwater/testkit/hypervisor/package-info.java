/**
 * Hosts that do what they are told, on a clock that a test moves: for tests of commands. What they
 * do is the protocol's order of events, without its wire; {@code fake-vdsm} speaks that.
 */
@NullMarked
package org.stillwater.testkit.hypervisor;

import org.jspecify.annotations.NullMarked;
