/**
 * Definitions of VMs: their copy in memory and their changes. The package carries out no operation.
 */
@NullMarked
package org.stillwater.command.definition;

import org.jspecify.annotations.NullMarked;
