/**
 * The engine as a service of systemd: notifications of ready, alive and stopping, and the log as
 * entries of the journal. Without systemd the package has no effect.
 */
@NullMarked
package org.stillwater.server.systemd;

import org.jspecify.annotations.NullMarked;
