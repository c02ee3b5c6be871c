/**
 * Which certificate each host is known by, in memory and made durable. TLS itself, and the rules by
 * which a certificate is accepted, are elsewhere.
 */
@NullMarked
package org.stillwater.monitoring.trust;

import org.jspecify.annotations.NullMarked;
