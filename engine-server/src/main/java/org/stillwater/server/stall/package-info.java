/**
 * Finds out that threads of the engine wait for their turn: a heart-beat for the process and for
 * its virtual threads, and the age of waiting messages in mailboxes of hosts. It also finds the
 * causes that delay the waiting work.
 */
@NullMarked
package org.stillwater.server.stall;

import org.jspecify.annotations.NullMarked;
