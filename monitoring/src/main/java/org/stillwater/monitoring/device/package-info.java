/**
 * Which VMs' device lists must be read from a host, and the taking in of VMs that the engine does
 * not know. Reading and parsing themselves live behind the host connection and in the core.
 */
@NullMarked
package org.stillwater.monitoring.device;

import org.jspecify.annotations.NullMarked;
