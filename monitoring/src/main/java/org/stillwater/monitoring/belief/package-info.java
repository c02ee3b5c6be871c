/**
 * What the engine believed about each VM and host, and why: the last transitions in memory, and all
 * of a retention in the database. It records what analysis decided, and decides nothing.
 */
@NullMarked
package org.stillwater.monitoring.belief;

import org.jspecify.annotations.NullMarked;
