/**
 * Injects faults of database, engine and clock into real processes under load, and checks that
 * engine, database and hosts agree afterwards. It shares only the words and codes of the engine's
 * tables with the engine.
 */
@NullMarked
package org.stillwater.benchmarks.chaos;

import org.jspecify.annotations.NullMarked;
