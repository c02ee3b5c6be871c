/**
 * XAPI pools in this engine: their clusters, hosts and VMs are kept as the pools have them, and
 * their messages become audit events. The wire and the meaning of records live in the adapter.
 */
@NullMarked
package org.stillwater.server.xapi;

import org.jspecify.annotations.NullMarked;
