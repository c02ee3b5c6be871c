/**
 * Simulated relays: they tell an engine of simulated hosts over the real protocol, with the relay's
 * own stream, and without polling over a wire.
 */
@NullMarked
package org.stillwater.fake.relay;

import org.jspecify.annotations.NullMarked;
