/**
 * The rules of operations on VMs and hosts: each step of an operation, and the order of automatic
 * restarts. Pure: the rules call no host, never wait and have no clock.
 */
@NullMarked
package org.stillwater.core.command;

import org.jspecify.annotations.NullMarked;
