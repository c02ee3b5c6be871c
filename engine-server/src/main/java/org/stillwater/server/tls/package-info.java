/**
 * TLS on the engine's own port: where its certificate comes from, how it is renewed, and how
 * clients get the authority's. Connections to hosts are none of its business.
 */
@NullMarked
package org.stillwater.server.tls;

import org.jspecify.annotations.NullMarked;
