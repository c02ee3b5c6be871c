/**
 * What the engine says to systemd as a service: that it is ready, that it lives, that it stops.
 * Without systemd nothing of it does anything.
 */
@NullMarked
package org.stillwater.server.systemd;

import org.jspecify.annotations.NullMarked;
