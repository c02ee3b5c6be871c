/**
 * The relay's process: watches hosts by VDSM, keeps their last state, and pushes what changes to an
 * engine. Everything here happens on one thread, the loop, except where a type says otherwise.
 */
@NullMarked
package org.stillwater.relay.agent;

import org.jspecify.annotations.NullMarked;
