/** Ports to secrets: their encryption and their place. */
@NullMarked
package org.stillwater.core.secret;

import org.jspecify.annotations.NullMarked;
