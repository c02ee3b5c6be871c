/**
 * The engine's side of relays: takes their streams, and answers polls of hosts from them. What it
 * takes in is analysed like any answer of a host.
 */
@NullMarked
package org.stillwater.relay.intake;

import org.jspecify.annotations.NullMarked;
