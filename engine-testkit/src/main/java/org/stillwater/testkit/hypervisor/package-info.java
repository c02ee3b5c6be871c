/**
 * Hosts that carry out orders, on a clock that a test moves, for tests of commands. They follow the
 * protocol's order of events, without its wire, which {@code fake-vdsm} implements.
 */
@NullMarked
package org.stillwater.testkit.hypervisor;

import org.jspecify.annotations.NullMarked;
