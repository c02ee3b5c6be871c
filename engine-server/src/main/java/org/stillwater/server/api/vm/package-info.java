/**
 * VMs: lists, single VMs, their definitions, and requests to act on one. No decision about a VM is
 * made here.
 */
@NullMarked
package org.stillwater.server.api.vm;

import org.jspecify.annotations.NullMarked;
