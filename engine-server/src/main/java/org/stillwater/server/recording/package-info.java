/**
 * Recordings of hosts' messages, on request, for replays elsewhere. The traffic is that of {@code
 * org.stillwater.vdsm.client}; the interface is a controller's.
 */
@NullMarked
package org.stillwater.server.recording;

import org.jspecify.annotations.NullMarked;
