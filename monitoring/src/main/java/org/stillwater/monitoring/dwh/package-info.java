/**
 * Samples of statistics for readers outside the engine, a data warehouse above all, on an interval
 * of their own. No statistics cycle and no reader inside the engine has anything to do with it.
 */
@NullMarked
package org.stillwater.monitoring.dwh;

import org.jspecify.annotations.NullMarked;
