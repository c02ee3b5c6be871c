/**
 * Recordings of hosts, run through the monitoring engine on a virtual clock, and the verb that does
 * it. {@code org.stillwater.vdsm.client.recording} defines the format of recordings.
 */
@NullMarked
package org.stillwater.benchmarks.replay;

import org.jspecify.annotations.NullMarked;
