/**
 * Simulated relays: they report simulated hosts to an engine over the real protocol, with the
 * relay's own stream, and without polling over a wire.
 */
@NullMarked
package org.stillwater.fake.relay;

import org.jspecify.annotations.NullMarked;
