/** The known state of hosts and VMs: values only, without decisions, I/O or clock. */
@NullMarked
package org.stillwater.core.model;

import org.jspecify.annotations.NullMarked;
