/**
 * What resources tell of, as one port: everything is in memory, and nothing here waits. The adapter
 * to monitoring and commands keeps what they do not: definitions in full, as far as clients see
 * them.
 */
@NullMarked
package org.stillwater.ovirt.fleet;

import org.jspecify.annotations.NullMarked;
