/**
 * Finds out that threads of the engine wait for their turn: a heart-beat for the process and for
 * its virtual threads, and the age of what waits in mailboxes of hosts.
 */
@NullMarked
package org.stillwater.server.stall;

import org.jspecify.annotations.NullMarked;
