/**
 * The command layer: whatever acts on VMs and hosts, because somebody asked for it or because
 * monitoring found that it must be done.
 *
 * <p>One thread decides, in {@link org.stillwater.command.CommandEngine}; the rules are pure and
 * stand in {@code org.stillwater.core.command}. What blocks, the database, has a thread of its own.
 * Monitoring knows nothing of commands; commands reach VMs through {@link
 * org.stillwater.monitoring.CommandDesk} alone.
 */
@NullMarked
package org.stillwater.command;

import org.jspecify.annotations.NullMarked;
