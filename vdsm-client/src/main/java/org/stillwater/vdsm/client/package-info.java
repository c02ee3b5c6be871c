/**
 * The adapter to VDSM hosts: TLS, sessions with heart-beats and reconnection, and the decoder from
 * messages to the reports of {@code engine-core}. The core analyses the reports.
 */
@NullMarked
package org.stillwater.vdsm.client;

import org.jspecify.annotations.NullMarked;
