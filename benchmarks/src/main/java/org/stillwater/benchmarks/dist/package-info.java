/**
 * Builds the packages of a release: an archive and a Debian package, from staged programs and the
 * running JDK. Two builds of the same input are equal byte by byte: names are sorted, times and
 * owners are fixed. Not shipped.
 */
@NullMarked
package org.stillwater.benchmarks.dist;

import org.jspecify.annotations.NullMarked;
