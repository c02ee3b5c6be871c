/** Ports to agents that fence hosts. Adapters implement them. */
@NullMarked
package org.stillwater.core.fence;

import org.jspecify.annotations.NullMarked;
