/**
 * Compares the libraries of a CycloneDX SBOM with a supplied database of known vulnerabilities,
 * without a network: a program of its own, of which the engine uses nothing.
 */
@NullMarked
package org.stillwater.server.dependencies;

import org.jspecify.annotations.NullMarked;
