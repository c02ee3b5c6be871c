/** Identities of hosts, VMs, clusters and data centres. */
@NullMarked
package org.stillwater.core.id;

import org.jspecify.annotations.NullMarked;
