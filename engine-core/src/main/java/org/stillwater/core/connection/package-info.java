/** Ports to hosts: connections, answers, orders and failures. Adapters implement them. */
@NullMarked
package org.stillwater.core.connection;

import org.jspecify.annotations.NullMarked;
