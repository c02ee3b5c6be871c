/**
 * The simulated data centre: hosts and virtual machines with their state, answers and events, all
 * derived from one seed and one virtual clock. Sockets, STOMP frames, faults and the control port
 * must not live here.
 */
@NullMarked
package org.stillwater.fake.world;

import org.jspecify.annotations.NullMarked;
