/**
 * The state that a relay and an engine share: a relay's state of a host, its changes since a
 * sequence, and a receiver's copy of it. Pure: no I/O, no threads, no clock.
 */
@NullMarked
package org.stillwater.relay.state;

import org.jspecify.annotations.NullMarked;
