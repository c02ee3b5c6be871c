/**
 * Clusters and data centres in memory, and their requirements on hosts. Nothing here asks a host or
 * decides about one.
 */
@NullMarked
package org.stillwater.monitoring.cluster;

import org.jspecify.annotations.NullMarked;
