/**
 * The HTTP side of simulated hosts: listeners, TLS, URLs, dialects of servers of different years,
 * and every fault of the wire. The behaviour of pools must not live here.
 */
@NullMarked
package org.stillwater.fake.xapi.net;

import org.jspecify.annotations.NullMarked;
