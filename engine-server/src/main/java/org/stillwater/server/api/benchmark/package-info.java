/**
 * Benchmark runs for agents and clients: runs that agents post, permits, and the matrix with its
 * dips. Deciding about dips and permits does not live here.
 */
@NullMarked
package org.stillwater.server.api.benchmark;

import org.jspecify.annotations.NullMarked;
