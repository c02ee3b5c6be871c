/**
 * The wire of the simulated hosts: listeners, protocol detection, TLS, the STOMP server, JSON-RPC
 * dispatch, and every fault. What a host answers, knows or does must not live here; it stands
 * behind {@link org.stillwater.fake.net.HostEndpoint}.
 */
@NullMarked
package org.stillwater.fake.net;

import org.jspecify.annotations.NullMarked;
