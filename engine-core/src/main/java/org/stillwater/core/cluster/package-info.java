/** Clusters and data centres, their requirements and policies, and tags. */
@NullMarked
package org.stillwater.core.cluster;

import org.jspecify.annotations.NullMarked;
