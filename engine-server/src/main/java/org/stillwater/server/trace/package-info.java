/**
 * Traces for an OpenTelemetry collector: the last statistics cycles and operations, read from data
 * that monitoring and commands keep anyway. No code of the package runs on their threads, except
 * for one comparison for each step of an operation.
 */
@NullMarked
package org.stillwater.server.trace;

import org.jspecify.annotations.NullMarked;
