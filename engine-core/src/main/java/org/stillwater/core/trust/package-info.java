/**
 * Which certificate a host is known by: names, fingerprints, and the decision whether a certificate
 * that a host shows is its own. Pure functions; no TLS, no files, no keys.
 */
@NullMarked
package org.stillwater.core.trust;

import org.jspecify.annotations.NullMarked;
