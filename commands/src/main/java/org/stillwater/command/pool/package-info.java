/** Pools of VMs that are kept running in advance. Uses operations as any other caller does. */
@NullMarked
package org.stillwater.command.pool;

import org.jspecify.annotations.NullMarked;
