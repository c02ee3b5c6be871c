/**
 * What monitoring left to commands: open work in memory, for readers and for the worker that
 * carries it out. What follows from a report is decided elsewhere; how work is done does not belong
 * here.
 */
@NullMarked
package org.stillwater.monitoring.work;

import org.jspecify.annotations.NullMarked;
