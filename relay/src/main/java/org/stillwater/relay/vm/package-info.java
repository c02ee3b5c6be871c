/** Converts VMs' reports and hosts' polls to cells and back. Pure; independent of VDSM and gRPC. */
@NullMarked
package org.stillwater.relay.vm;

import org.jspecify.annotations.NullMarked;
