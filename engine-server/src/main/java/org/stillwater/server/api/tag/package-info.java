/** Tags of VMs and hosts, in the same store as those of oVirt's clients. */
@NullMarked
package org.stillwater.server.api.tag;

import org.jspecify.annotations.NullMarked;
