/**
 * Meters of the server's own components: statements by stage, wires, stable cycles. Meters of
 * monitoring live in monitoring.
 */
@NullMarked
package org.stillwater.server.meter;

import org.jspecify.annotations.NullMarked;
