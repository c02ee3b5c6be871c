/**
 * Clusters and data centres in memory, and their requirements on hosts. This package neither calls
 * hosts nor decides about them.
 */
@NullMarked
package org.stillwater.monitoring.cluster;

import org.jspecify.annotations.NullMarked;
