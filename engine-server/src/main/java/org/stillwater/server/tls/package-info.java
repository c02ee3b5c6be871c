/**
 * TLS on the engine's own port: source and renewal of its certificate, and the authority's
 * certificate for clients. Connections to hosts do not belong here.
 */
@NullMarked
package org.stillwater.server.tls;

import org.jspecify.annotations.NullMarked;
