/**
 * Work that monitoring left to commands: open work in memory, for readers and for the worker that
 * carries it out. Other packages draw conclusions from reports and carry work out.
 */
@NullMarked
package org.stillwater.monitoring.work;

import org.jspecify.annotations.NullMarked;
