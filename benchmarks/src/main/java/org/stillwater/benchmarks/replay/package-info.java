/**
 * Recordings of hosts, run through the monitoring engine on a virtual clock, and the verb that does
 * it. What a recording looks like is known to {@code org.stillwater.vdsm.client.recording}.
 */
@NullMarked
package org.stillwater.benchmarks.replay;

import org.jspecify.annotations.NullMarked;
