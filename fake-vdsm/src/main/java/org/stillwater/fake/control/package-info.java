/**
 * The control port of the simulator: HTTP with JSON, through which people, tests and scripts direct
 * a simulated world and read the truth about it. What hosts and VMs do must not live here.
 */
@NullMarked
package org.stillwater.fake.control;

import org.jspecify.annotations.NullMarked;
