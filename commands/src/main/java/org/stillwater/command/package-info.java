/**
 * The base of the command layer, which acts on VMs and hosts because a user requests it or because
 * monitoring leaves work. {@link org.stillwater.command.CommandContext} holds the services that the
 * packages below share: the loop that decides, the executor of the database, the registry of
 * operations.
 *
 * <p>One thread decides; the rules are pure and stand in {@code org.stillwater.core.command}. Tasks
 * that wait for the database have a thread of their own. Monitoring knows nothing of commands;
 * commands reach VMs through {@link org.stillwater.monitoring.VmCommandAccess} alone. Nothing here
 * knows a package below.
 */
@NullMarked
package org.stillwater.command;

import org.jspecify.annotations.NullMarked;
