/** The shape of stored and reported values: coded enums, column types, places on the wire. */
@NullMarked
package org.stillwater.core.value;

import org.jspecify.annotations.NullMarked;
