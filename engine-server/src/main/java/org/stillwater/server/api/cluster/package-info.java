/** Clusters, data centres, affinity groups, pools, and the summary of the fleet. */
@NullMarked
package org.stillwater.server.api.cluster;

import org.jspecify.annotations.NullMarked;
