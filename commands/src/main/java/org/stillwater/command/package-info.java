/**
 * The base of the command layer, which acts on VMs and hosts because a user requests it or because
 * monitoring leaves work. {@link org.stillwater.command.CommandContext} holds the services that the
 * packages below share: the loop that decides, the executor of the database, the registry of
 * operations.
 *
 * <p>One thread decides; the rules are pure and stand in {@code org.stillwater.core.command}. Tasks
 * that wait for the database have their own thread. Monitoring does not depend on commands;
 * commands reach VMs only through {@link org.stillwater.monitoring.VmCommandAccess}. This package
 * depends on no package below it.
 */
@NullMarked
package org.stillwater.command;

import org.jspecify.annotations.NullMarked;
