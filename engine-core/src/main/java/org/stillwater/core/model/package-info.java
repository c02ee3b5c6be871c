/** What is known about hosts and VMs: values only. No decision, no I/O, no clock lives here. */
@NullMarked
package org.stillwater.core.model;

import org.jspecify.annotations.NullMarked;
