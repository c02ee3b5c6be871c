/** The known state of hosts: definition, status, usage and pending work. */
@NullMarked
package org.stillwater.core.host;

import org.jspecify.annotations.NullMarked;
