/**
 * The certificate authority of the simulator: CA, engine and host certificates, good ones and
 * deliberately bad ones. Sockets and TLS contexts must not live here.
 */
@NullMarked
package org.stillwater.fake.pki;

import org.jspecify.annotations.NullMarked;
