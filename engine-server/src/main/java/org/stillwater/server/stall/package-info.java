/**
 * Finds out that threads of the engine wait for their turn: a heart-beat for the process and for
 * its virtual threads, and the age of what waits in mailboxes of hosts. It also finds out what is
 * before the work that waits.
 */
@NullMarked
package org.stillwater.server.stall;

import org.jspecify.annotations.NullMarked;
