/**
 * The scale harness: starts engine and simulator as separate processes on this machine, and reads
 * their cost from the operating system, the JVM, the database and the engine's own meters. It must
 * not share code with the measured programs.
 */
@NullMarked
package org.stillwater.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
