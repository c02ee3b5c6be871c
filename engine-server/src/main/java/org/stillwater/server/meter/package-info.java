/**
 * Meters of what the server itself wires: statements by stage, wires, stable cycles. Meters of
 * monitoring live in monitoring.
 */
@NullMarked
package org.stillwater.server.meter;

import org.jspecify.annotations.NullMarked;
