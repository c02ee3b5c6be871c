/**
 * The wire of the simulated hosts: listeners, protocol detection, TLS, the STOMP server, JSON-RPC
 * dispatch, and every fault. The behaviour of hosts must not live here; it is behind {@link
 * org.stillwater.fake.net.HostEndpoint}.
 */
@NullMarked
package org.stillwater.fake.net;

import org.jspecify.annotations.NullMarked;
