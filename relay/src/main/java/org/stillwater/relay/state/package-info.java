/**
 * The state that a relay and an engine share: what a relay knows about a host, what changed since a
 * sequence, and what a receiver makes of it. Pure: no I/O, no threads, no clock.
 */
@NullMarked
package org.stillwater.relay.state;

import org.jspecify.annotations.NullMarked;
