/**
 * The simulated data centre: hosts, virtual machines, their lives, what they answer and announce,
 * all derived from one seed and one virtual clock. Sockets, STOMP frames, faults and the control
 * port must not live here.
 */
@NullMarked
package org.stillwater.fake.world;

import org.jspecify.annotations.NullMarked;
