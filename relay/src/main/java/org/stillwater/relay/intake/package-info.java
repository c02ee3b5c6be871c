/**
 * The engine's side of relays: it receives their streams and answers polls of hosts from them. The
 * engine analyses these answers like answers of hosts.
 */
@NullMarked
package org.stillwater.relay.intake;

import org.jspecify.annotations.NullMarked;
