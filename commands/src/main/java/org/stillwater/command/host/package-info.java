/**
 * Operations on hosts: {@link org.stillwater.command.host.HostOperations} is the door. The rules
 * are pure and stand in {@code org.stillwater.core}.
 */
@NullMarked
package org.stillwater.command.host;

import org.jspecify.annotations.NullMarked;
