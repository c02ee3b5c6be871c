/**
 * The disk of the engine's own database: its free space, and the work that the engine gives up
 * first when it runs low. It knows nothing of other servers' disks.
 */
@NullMarked
package org.stillwater.server.disk;

import org.jspecify.annotations.NullMarked;
