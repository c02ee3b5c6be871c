/** Interfaces to the outer world, implemented by adapters. No implementation lives here. */
@NullMarked
package org.stillwater.core.port;

import org.jspecify.annotations.NullMarked;
