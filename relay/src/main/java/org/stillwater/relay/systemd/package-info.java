/**
 * Programs as services of systemd: datagrams to its sockets, and notifications of ready, alive and
 * stopping. Engine, relay and simulator use it; without systemd it has no effect.
 */
@NullMarked
package org.stillwater.relay.systemd;

import org.jspecify.annotations.NullMarked;
