/**
 * The relay's process: watches hosts by VDSM, keeps their last state and pushes changes to an
 * engine. All code runs on one thread, the loop, unless a type documents otherwise.
 */
@NullMarked
package org.stillwater.relay.agent;

import org.jspecify.annotations.NullMarked;
