/**
 * Adaptive cadence: the settings, the CPU budget that all hosts share, and its meters. The pace of
 * one host is kept by its monitor.
 */
@NullMarked
package org.stillwater.monitoring.cadence;

import org.jspecify.annotations.NullMarked;
