/**
 * Requests on VMs and hosts as they are stored: operations, and pools of VMs. {@code
 * org.stillwater.core.command} holds the rules of their steps.
 */
@NullMarked
package org.stillwater.core.operation;

import org.jspecify.annotations.NullMarked;
