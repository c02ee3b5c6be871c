/**
 * The control port of the simulator: HTTP with JSON, through which users, tests and scripts control
 * simulated pools and read their true state. The behaviour of pools must not live here.
 */
@NullMarked
package org.stillwater.fake.xapi.control;

import org.jspecify.annotations.NullMarked;
