/**
 * What the cells of a record mean: a VM's report and a host's polls as cells, and back. Pure; knows
 * neither VDSM nor gRPC.
 */
@NullMarked
package org.stillwater.relay.vm;

import org.jspecify.annotations.NullMarked;
