/**
 * Operations on VMs, from the request to the end: {@link
 * org.stillwater.command.operation.CommandEngine} is the door. Operations on hosts have a package
 * of their own.
 */
@NullMarked
package org.stillwater.command.operation;

import org.jspecify.annotations.NullMarked;
