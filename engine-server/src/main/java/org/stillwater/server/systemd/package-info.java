/**
 * Notifications of the engine to systemd as a service: ready, alive, stopping. Without systemd the
 * package has no effect.
 */
@NullMarked
package org.stillwater.server.systemd;

import org.jspecify.annotations.NullMarked;
