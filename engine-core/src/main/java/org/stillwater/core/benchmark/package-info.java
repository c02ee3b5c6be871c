/**
 * Runs of the benchmark of disks: their matrix of record sizes and operations, the level of each
 * cell, and its dips. Receiving runs, storing them and permitting new ones do not live here.
 */
@NullMarked
package org.stillwater.core.benchmark;

import org.jspecify.annotations.NullMarked;
