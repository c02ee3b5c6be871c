/**
 * Faults of database, engine and clock under load, on real processes, and the check that engine,
 * database and hosts agree afterwards. Nothing of the engine's code takes part but the words and
 * codes of its tables.
 */
@NullMarked
package org.stillwater.benchmarks.chaos;

import org.jspecify.annotations.NullMarked;
