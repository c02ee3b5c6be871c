/**
 * The adapter to VDSM hosts: TLS, sessions with heart-beats and reconnection, and the decoding of
 * what hosts say into the reports of {@code engine-core}. What the reports mean for a VM or a host
 * is not decided here.
 */
@NullMarked
package org.stillwater.vdsm.client;

import org.jspecify.annotations.NullMarked;
