/**
 * How operations on VMs and hosts go on: the rules by which each goes from one step to the next,
 * and who is started again when. Pure: nothing here calls a host, waits, or knows the time.
 */
@NullMarked
package org.stillwater.core.command;

import org.jspecify.annotations.NullMarked;
