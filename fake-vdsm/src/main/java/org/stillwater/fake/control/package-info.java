/**
 * The control port of the simulator: HTTP with JSON, through which users, tests and scripts control
 * a simulated world and read its true state. The behaviour of hosts and VMs must not live here.
 */
@NullMarked
package org.stillwater.fake.control;

import org.jspecify.annotations.NullMarked;
