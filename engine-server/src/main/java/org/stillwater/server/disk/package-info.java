/**
 * The disk of the engine's own database: how much is free, and what is given up first when little
 * is. It knows nothing of other servers' disks.
 */
@NullMarked
package org.stillwater.server.disk;

import org.jspecify.annotations.NullMarked;
