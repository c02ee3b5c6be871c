/**
 * History of VMs and hosts: the span in memory, and the queries of readers. The recorded samples of
 * a VM or host, and the database, do not live here.
 */
@NullMarked
package org.stillwater.monitoring.history;

import org.jspecify.annotations.NullMarked;
