/** The port to the clock. */
@NullMarked
package org.stillwater.core.time;

import org.jspecify.annotations.NullMarked;
