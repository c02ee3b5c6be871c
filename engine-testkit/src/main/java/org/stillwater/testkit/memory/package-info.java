/** Stores in memory. */
@NullMarked
package org.stillwater.testkit.memory;

import org.jspecify.annotations.NullMarked;
