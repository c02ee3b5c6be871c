/**
 * History of VMs and hosts: how much of it is in memory, and the questions that readers ask. What a
 * VM or a host notes itself, and the database, do not live here.
 */
@NullMarked
package org.stillwater.monitoring.history;

import org.jspecify.annotations.NullMarked;
