/** Deltas as messages of the schema {@code stillwater.relay.v1}, and back. No I/O. */
@NullMarked
package org.stillwater.relay.wire;

import org.jspecify.annotations.NullMarked;
