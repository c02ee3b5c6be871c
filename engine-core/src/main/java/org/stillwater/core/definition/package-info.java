/** The definition of a VM: its devices, CPUs, memory and place, as users set it. */
@NullMarked
package org.stillwater.core.definition;

import org.jspecify.annotations.NullMarked;
