/**
 * Traces for an OpenTelemetry collector: what passed in the last statistics cycles and operations,
 * read from what monitoring and commands keep anyway. Nothing here runs on their threads, except
 * for one comparison for each step of an operation.
 */
@NullMarked
package org.stillwater.server.trace;

import org.jspecify.annotations.NullMarked;
